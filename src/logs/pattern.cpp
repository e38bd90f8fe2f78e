// PCRE2 behind our own words; compiled to machine code where the system allows it.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "logs/pattern.h"

#include <pcre2.h>

namespace sx {
namespace {

constexpr std::uint32_t kMostSteps = 200'000;  // a sane pattern needs some thousands on a long line

pcre2_code* code_of(void* code) { return static_cast<pcre2_code*>(code); }
pcre2_match_data* data_of(void* data) { return static_cast<pcre2_match_data*>(data); }

pcre2_match_context* limits() {
  static pcre2_match_context* const context = [] {
    pcre2_match_context* made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, kMostSteps);
    pcre2_set_depth_limit(made, kMostSteps);
    return made;
  }();
  return context;
}

std::vector<std::pair<int, std::string>> names_of(const pcre2_code* code) {
  std::uint32_t count = 0;
  std::uint32_t size = 0;
  PCRE2_SPTR table = nullptr;
  pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
  pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
  std::vector<std::pair<int, std::string>> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const PCRE2_SPTR entry = table + static_cast<std::size_t>(i) * size;
    names.emplace_back((entry[0] << 8) | entry[1], reinterpret_cast<const char*>(entry + 2));
  }
  return names;
}

}  // namespace

void Pattern::Free::operator()(void* code) const { pcre2_code_free(code_of(code)); }
void Pattern::FreeData::operator()(void* data) const { pcre2_match_data_free(data_of(data)); }

bool Pattern::compile(std::string_view expression) {
  int error = 0;
  PCRE2_SIZE at = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                            PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr));
  if (!code_) return false;
  // Refused on hardened kernels: then it is interpreted.
  static_cast<void>(pcre2_jit_compile(code_of(code_.get()), PCRE2_JIT_COMPLETE));
  data_.reset(pcre2_match_data_create_from_pattern(code_of(code_.get()), nullptr));
  names_ = names_of(code_of(code_.get()));
  return data_ != nullptr;
}

bool Pattern::find(std::string_view text, Found& found) const {
  if (!code_) return false;
  const int groups = pcre2_match(code_of(code_.get()), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                 text.size(), 0, 0, data_of(data_.get()), limits());
  if (groups < 0) return false;
  const PCRE2_SIZE* const places = pcre2_get_ovector_pointer(data_of(data_.get()));
  found.begin = places[0];
  found.end = places[1];
  found.captures.clear();
  for (const auto& [number, name] : names_) {
    const auto i = static_cast<std::size_t>(number) * 2;
    if (number >= groups || places[i] == PCRE2_UNSET) continue;
    found.captures.emplace_back(name, text.substr(places[i], places[i + 1] - places[i]));
  }
  return true;
}

}  // namespace sx
