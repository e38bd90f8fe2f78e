// As the record of the deployment names it.
#include "cli/own_certificate.h"

#include "run/deployment.h"

namespace sx {
namespace {

constexpr Bytes kMostRecord = mib(16);

}  // namespace

TlsTrust own_certificate(const StateFolder& folder, const Files& files) {
  const auto text = files.read(folder.deployment(), kMostRecord);
  const auto deployment = text ? read_deployment(*text) : std::unexpected(text.error());
  return {.ca_file = "", .only = deployment ? deployment->gateway.tls.certificate : ""};
}

}  // namespace sx
