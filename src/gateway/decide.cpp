// Paths are compared byte by byte: nothing is decoded and nothing is resolved.
#include "gateway/decide.h"

namespace sx {

RequestFate fate_of(const RequestHead& head) {
  using Kind = RequestFate::Kind;
  constexpr std::string_view kModels = "/v1/models";
  const std::string_view path = head.target.substr(0, head.target.find('?'));
  const auto refused = [](Refusal refusal) {
    RequestFate fate;
    fate.refusal = std::move(refusal);
    return fate;
  };
  if (head.upgrades) return refused(refused_upgrade());
  const std::string_view expect = field_value(head.fields, "Expect");
  if (!expect.empty() && !head.expects_continue) return refused(refused_expectation());

  const bool one_model =
      path.starts_with(kModels) && path.size() > kModels.size() + 1 && path[kModels.size()] == '/';
  const auto kind = path == kModels      ? Kind::Models
                    : one_model          ? Kind::OneModel
                    : path == "/health"  ? Kind::Health
                    : path == "/ready"   ? Kind::Ready
                    : path == "/metrics" ? Kind::Metrics
                                         : Kind::Refused;
  if (kind != Kind::Refused) {
    if (head.method != "GET" && head.method != "HEAD")
      return refused(refused_method(head.method, path));
    RequestFate fate;
    fate.kind = kind;
    if (one_model) fate.model = path.substr(kModels.size() + 1);
    return fate;
  }
  const GatewayPath* row = gateway_path(path);
  if (row == nullptr) return refused(refused_path(path));
  if (!row->relayed) return refused(refused_admin_path(path));
  if (head.method != "POST") return refused(refused_method(head.method, path));
  RequestFate fate;
  fate.kind = Kind::Relayed;
  fate.path = row;
  return fate;
}

}  // namespace sx
