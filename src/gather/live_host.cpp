// This machine, asked piece by piece.
#include "gather/live_host.h"

namespace sx {
namespace {

constexpr Text kNotAsked{"this machine was not asked", "没有查询本机"};

}  // namespace

HostSpec live_host(const Outside&) {
  HostSpec host;
  host.from = HostFrom::Live;
  host.name = "this machine";
  host.gpu_count = Fact<int>::unknown(kNotAsked);
  host.links.why_unknown = kNotAsked;
  return host;
}

}  // namespace sx
