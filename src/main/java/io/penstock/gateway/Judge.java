package io.penstock.gateway;

import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.Verdict;

/** Who says what becomes of an attempt. */
interface Judge {
  /** The upstream itself, which learns of it. */
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

  /** An answer is there, of which the client has had nothing yet. */
  Verdict answered(Upstream upstream, Tries tries, Lesson lesson, long now);

  /** There is no answer. */
  Verdict failed(Upstream upstream, Tries tries, Failure failure, long now);
}
