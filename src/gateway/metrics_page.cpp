// Family after family. Names follow those of the engines where they say the same thing.
#include "gateway/metrics_page.h"

#include <algorithm>

#include "gateway/metrics_writer.h"

namespace sx {
namespace {

constexpr std::size_t kMostKeysShown = 1000;  // with four lines each; the rest has no line

void requests(MetricsWriter& out, const GatewayMetrics& metrics) {
  out.counter("sextant_requests",
              "Requests that ended, by model, path, status (0: nothing was answered) and cause of "
              "failure.");
  for (const auto& one : metrics.requests()) {
    const std::string status = std::to_string(one.status);
    out.value(one.count, {{"model_name", metrics.model_names().shown(one.model)},
                          {"path", metrics.path_names().shown(one.path)},
                          {"code", status},
                          {"cause", metrics.cause_names().shown(one.cause)}});
  }
  out.counter("sextant_routes", "Requests sent to a replica, by why it was chosen.");
  for (std::size_t i = 1; i < metrics.why_names().size(); ++i)
    out.value(metrics.routed(i), {{"why", metrics.why_names().shown(i)}});
}

void by_model(MetricsWriter& out, const GatewayMetrics& metrics) {
  const LabelSet& names = metrics.model_names();
  const auto each = [&](auto&& write) {
    for (std::size_t i = 1; i < names.size(); ++i) write(metrics.numbers(i), names.shown(i));
  };
  out.histogram("sextant_time_to_first_token_seconds",
                "From the request's head to the first event of its stream.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.values(one.first_token, {"model_name", name});
  });
  out.histogram("sextant_inter_token_latency_seconds",
                "Between two events of a stream, as they came from the replica.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.values(one.between_tokens, {"model_name", name});
  });
  out.histogram("sextant_request_queue_time_seconds",
                "How long requests waited for a replica, of those that had to.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.values(one.waited, {"model_name", name});
  });
  out.histogram("sextant_e2e_request_latency_seconds",
                "From the request's head to the end of its answer, of those answered whole.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.values(one.whole, {"model_name", name});
  });
  out.counter("sextant_prompt_tokens", "Tokens of prompts, where the answer told them.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.value(one.prompt_tokens, {{"model_name", name}});
  });
  out.counter("sextant_generation_tokens", "Tokens of answers, where the answer told them.");
  each([&](const ModelNumbers& one, std::string_view name) {
    out.value(one.answer_tokens, {{"model_name", name}});
  });
}

void of_relay(MetricsWriter& out, const MetricsAsk& ask) {
  const GatewayCounters& all = ask.counters;
  const auto count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.counter(name, help);
    out.value(value);
  };
  const auto now = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.gauge(name, help);
    out.value(value);
  };
  count("sextant_retries", "Requests sent to another replica.", all.retries);
  count("sextant_stale_connections", "Idle connections to replicas that had gone.", all.stale);
  count("sextant_answers_cut", "Answers within which the replica was lost.", all.cut);
  count("sextant_clients_gone", "Clients that left before their answer's end.", all.client_gone);
  count("sextant_clients_slow", "Clients that did not read for too long.", all.slow_clients);
  count("sextant_replicas_saturated", "Answers 429 and 503 of replicas, passed on.", all.saturated);
  count("sextant_replica_bytes", "Bytes that came from replicas.", all.bytes_in);
  count("sextant_client_bytes", "Bytes that went to clients.", all.bytes_out);
  count("sextant_connections", "Connections of clients.", all.connections);
  now("sextant_connections_open", "Connections of clients now.", all.connections_open);
  now("sextant_requests_in_flight", "Requests at replicas now.", all.in_flight);
  now("sextant_requests_waiting", "Requests that wait for a replica now.", ask.waiting);
  now("sextant_body_bytes_held", "Bytes of request bodies held now.", all.body_bytes);
}

void by_replica(MetricsWriter& out, const MetricsAsk& ask) {
  const auto each = [&](std::string_view name, std::string_view help, bool counts, auto&& value) {
    counts ? out.counter(name, help) : out.gauge(name, help);
    for (const auto& replica : ask.replicas) {
      const std::string number = std::to_string(replica->route.replica);
      out.value(value(*replica),
                {{"replica", number}, {"engine", label_value(replica->route.engine)}});
    }
  };
  using Replica = GatewayReplica;
  each("sextant_replica_takes_requests", "Whether new requests may go there.", false,
       [](const Replica& one) { return std::uint64_t{one.route.takes}; });
  each("sextant_replica_weight", "Its share of the work beside that of the others.", false,
       [](const Replica& one) { return static_cast<std::uint64_t>(one.route.weight); });
  each("sextant_replica_concurrency_limit", "Requests it is given at a time; 0: no limit.", false,
       [](const Replica& one) { return static_cast<std::uint64_t>(one.route.most); });
  each("sextant_replica_resting", "Whether it failed a moment ago.", false,
       [&](const Replica& one) { return std::uint64_t{one.rests > ask.now}; });
  each("sextant_replica_full", "Whether it said a moment ago that it is full.", false,
       [&](const Replica& one) { return std::uint64_t{one.full > ask.now}; });
  each("sextant_replica_requests_in_flight", "Requests there now.", false,
       [](const Replica& one) { return one.in_flight; });
  each("sextant_replica_load_tokens", "Work there now, in guessed tokens.", false,
       [](const Replica& one) { return one.load; });
  each("sextant_replica_answer_bytes", "Bytes that came from there.", true,
       [](const Replica& one) { return one.bytes; });
}

// As the daemon tells them, also of replicas that no request can reach. Absent where nobody does.
void by_state(MetricsWriter& out, const std::vector<ToldState>& states) {
  if (states.empty()) return;
  out.gauge("sextant_replica_state", "1 for the state that the replica is in, 0 for all others.");
  for (const ToldState& one : states) {
    if (!one.state) continue;
    const std::string number = std::to_string(one.replica);
    for (int i = 0; i < kReplicaStates; ++i) {
      const auto state = static_cast<ReplicaState>(i);
      out.value(
          *one.state == state ? 1 : 0,
          {{"replica", number}, {"engine", label_value(one.engine)}, {"state", word_of(state)}});
    }
  }
  out.counter("sextant_replica_wedges",
              "How often it stood still while requests ran, or did not answer, for too long.");
  for (const ToldState& one : states) {
    out.value(one.wedges,
              {{"replica", std::to_string(one.replica)}, {"engine", label_value(one.engine)}});
  }
}

void by_key(MetricsWriter& out, const GatewayKeys& keys) {
  if (keys.state() == GatewayKeys::State::Open) return;
  const auto each = [&](auto&& write) {
    std::size_t shown = 0;
    for (const auto& [name, use] : keys.uses()) {
      const bool used = use->requests + use->over_tokens + use->over_concurrency > 0;
      if (used && shown++ < kMostKeysShown) write(*use, name);
    }
  };
  out.counter("sextant_key_requests", "Requests admitted, by the name of their key.");
  each([&](const KeyUse& one, std::string_view name) { out.value(one.requests, {{"key", name}}); });
  out.counter("sextant_key_tokens", "Tokens of those requests, told by the answer or guessed.");
  each([&](const KeyUse& one, std::string_view name) { out.value(one.tokens, {{"key", name}}); });
  out.counter("sextant_key_limited", "Requests refused, by the limit of their key.");
  each([&](const KeyUse& one, std::string_view name) {
    out.value(one.over_concurrency, {{"key", name}, {"limit", "concurrency"}});
    out.value(one.over_tokens, {{"key", name}, {"limit", "tokens_per_minute"}});
  });
  out.gauge("sextant_key_requests_in_flight", "Requests of the key now.");
  each(
      [&](const KeyUse& one, std::string_view name) { out.value(one.in_flight, {{"key", name}}); });
}

void by_tls(MetricsWriter& out, const TlsNumbers* tls) {
  if (tls == nullptr) return;
  out.gauge("sextant_tls_files_good",
            "Whether certificate and key could be used when they changed last.");
  out.value(tls->good ? 1 : 0);
  out.gauge("sextant_tls_certificate_end_seconds",
            "When the certificate in use ends, in seconds since 1970; 0: there is none.");
  out.value(static_cast<std::uint64_t>(std::max<std::int64_t>(0, tls->until)));
  out.counter("sextant_tls_handshakes", "Handshakes that were done.");
  out.value(tls->handshakes);
  out.counter("sextant_tls_handshakes_failed", "Connections that ended before theirs was done.");
  out.value(tls->handshakes_failed);
}

}  // namespace

std::string metrics_page(const MetricsAsk& ask) {
  MetricsWriter out(ask.open_metrics);
  requests(out, ask.metrics);
  by_model(out, ask.metrics);
  of_relay(out, ask);
  by_replica(out, ask);
  by_state(out, ask.states);
  by_key(out, ask.keys);
  out.gauge("sextant_keys", "Keys that let somebody in; none are asked for when it is 0 and good.");
  out.value(ask.keys.good());
  out.gauge("sextant_key_file_good",
            "Whether the file of keys could be read when it changed last.");
  out.value(ask.key_file_good ? 1 : 0);
  by_tls(out, ask.tls);
  if (ask.spans) {
    out.counter("sextant_spans_sent", "Spans that the collector of traces has taken.");
    out.value(ask.spans->sent);
    out.counter("sextant_spans_dropped", "Spans that it has not, or that waited for it too long.");
    out.value(ask.spans->dropped);
  }
  out.counter("sextant_access_log_lost", "Lines of the access log that were never written.");
  out.value(ask.lines_lost);
  return std::move(out).end();
}

bool wants_open_metrics(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos;
}

std::string_view metrics_type(bool open_metrics) {
  return open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                      : "text/plain; version=0.0.4; charset=utf-8";
}

}  // namespace sx
