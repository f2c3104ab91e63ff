package io.penstock.load;

import java.nio.file.Path;

/** nginx as a plain proxy: connections kept on both sides, nothing logged, nothing limited. */
final class Nginx {
  private Nginx() {}

  static String configuration(Path home, int port, int upstream) {
    return """
    daemon off;
    worker_processes auto;
    pid %1$s/nginx.pid;
    error_log stderr warn;
    events { worker_connections 4096; }
    http {
      access_log off;
      client_body_temp_path %1$s/body;
      proxy_temp_path %1$s/proxy;
      fastcgi_temp_path %1$s/fastcgi;
      uwsgi_temp_path %1$s/uwsgi;
      scgi_temp_path %1$s/scgi;
      keepalive_requests 1000000000;
      upstream provider {
        server 127.0.0.1:%3$d;
        keepalive 256;
        keepalive_requests 1000000000;
      }
      server {
        listen 127.0.0.1:%2$d backlog=4096;
        location / {
          proxy_pass http://provider;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_buffering off;
        }
      }
    }
    """
        .formatted(home, port, upstream);
  }
}
