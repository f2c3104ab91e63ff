package io.penstock.gateway;

import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.Verdict;

/** Decides what becomes of an attempt. */
interface Judge {
  /** Leaves the decision to the upstream itself, which learns from the attempt. */
  Judge UPSTREAM =
      new Judge() {
        @Override
        public Verdict answered(Upstream upstream, Tries tries, Lesson lesson, long now) {
          return upstream.judge(tries, lesson, now);
        }

        @Override
        public Verdict failed(Upstream upstream, Tries tries, Failure failure, long now) {
          return upstream.judge(tries, failure, now);
        }
      };

  /** Decides about an attempt that got an answer; the client has received nothing of it yet. */
  Verdict answered(Upstream upstream, Tries tries, Lesson lesson, long now);

  /** Decides about an attempt without an answer. */
  Verdict failed(Upstream upstream, Tries tries, Failure failure, long now);
}
