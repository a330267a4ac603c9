# A server's sites: what it listens on, and for which hosts which handlers
# stand there. Nothing else of the config.
def handlers: .handle[]? | if .handler == "subroute" then .routes[]? | handlers else .handler end;
def site: { hosts: [.match[]?.host[]?], handlers: [handlers] | unique };
def servers: { servers: to_entries | map({ name: .key, listen: .value.listen, sites: [.value.routes[]? | site] }) };

# The requests of Prometheus' text, counted by server, handler and status.
def labels: [scan("(\\w+)=\"([^\"]*)\"") | { key: .[0], value: .[1] }] | from_entries;
def requests:
  [
    split("\n")[]
    | capture("^caddy_http_request_duration_seconds_count\\{(?<labels>.*)\\} (?<count>\\S+)$")
    | (.labels | labels) + { count: .count | tonumber }
  ]
  | group_by([.server, .handler, .code])
  | { requests: map({ server: .[0].server, handler: .[0].handler, code: .[0].code, count: map(.count) | add }) };
