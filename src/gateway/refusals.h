// What a client is told when its request is not relayed, or not to its end: in the shape of the API
// it speaks, with the replica and the reason, and never with a word of its prompt.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "diag/message.h"
#include "gateway/http_head.h"
#include "gateway/key_limits.h"
#include "knowledge/gateway_paths.h"

namespace sx {

struct Refusal {
  int status = 400;
  std::string_view code;  // for programs: "model_not_found"
  Message message;
  int retry_after = 0;  // seconds; 0: not said
};

Refusal refused_head(HeadFault fault);
Refusal refused_chunks();
Refusal refused_method(std::string_view method, std::string_view path);
Refusal refused_path(std::string_view path);
Refusal refused_admin_path(std::string_view path);
Refusal refused_upgrade();
Refusal refused_size(std::size_t limit);
Refusal refused_expectation();
Refusal refused_body();                                                // not a JSON object
Refusal refused_model_missing(const std::vector<std::string>& known);  // and there are several
Refusal refused_model_kind();
Refusal refused_model(std::string_view model, const std::vector<std::string>& known);
Refusal request_late();
Refusal no_replica(std::string_view model);
// None of its replicas runs, and none will by itself; `cause` is the name of what they failed of.
Refusal model_failed(std::string_view model, std::string_view cause);
Refusal no_room();
Refusal replicas_full(std::string_view model);
Refusal queue_full(std::size_t waiting);
inline constexpr std::string_view kQueueTimeout = "queue_timeout";
Refusal waited_in_vain(std::string_view model, std::chrono::seconds waited);
Refusal refused_key(bool given);  // given: it is nobody's
Refusal keys_unreadable();
Refusal over_key_limit(std::string_view name, const LimitHit& hit);
Refusal refused_metrics(bool keys);  // keys: one of them would do
// The replica failed before its answer began; `why` is a clause.
Refusal replica_failed(int replica, const Text& why, bool sent_once_only);
// It was lost within its answer.
Refusal replica_lost(int replica, const Text& why);

// Why a replica failed.
extern const Text kRefusedConnection, kNoConnection, kResetConnection, kClosedEarly, kBrokenAnswer,
    kTooLate, kTakenOut, kFull, kOverTime;

std::string_view reason_phrase(int status);
std::string error_body(const Refusal& refusal, Surface surface);
// An event that a stream ends with.
std::string error_event(const Refusal& refusal, Surface surface);

}  // namespace sx
