// Renamed and begun anew, under the same descriptors: what writes to them needs to know nothing.
#include "api/own_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>

#include "run/json_fields.h"
#include "sys/files.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr off_t kMost = off_t{1} << 20;  // it says a line at its end, and what a crash prints
constexpr Bytes kMostWords = mib(1);

}  // namespace

void keep_own_log_small(const StateFolder& folder) {
  struct stat ours{}, named{};
  const std::string path = folder.log();
  if (::fstat(STDERR_FILENO, &ours) != 0 || ::stat(path.c_str(), &named) != 0) return;
  if (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino || ours.st_size <= kMost) return;
  if (::rename(path.c_str(), (path + ".1").c_str()) != 0) return;
  const auto fresh = open_for_adding(path);
  if (!fresh) return;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(fresh->get(), output);
}

void leave_last_words(const StateFolder& folder, const Both& said) {
  const boost::json::object words{{"en", said.english}, {"zh", said.chinese}};
  [[maybe_unused]] const auto saved =
      save_file(folder.last_words(), boost::json::serialize(words), 0600);
}

void forget_last_words(const StateFolder& folder) { ::unlink(folder.last_words().c_str()); }

Both last_words(const StateFolder& folder) {
  const auto text = real_files().read(folder.last_words(), kMostWords);
  if (!text) return {};
  const auto object = json_object(*text, "last_words.json");
  if (!object) return {};
  return {text_in(*object, "en"), text_in(*object, "zh")};
}

}  // namespace sx
