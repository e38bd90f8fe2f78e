// The result of --verify full.
#include "cli/inspect_page.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 200;

constexpr Text kHeading{"SHA-256: {same} of {count} files as published, {bytes} read",
                        "SHA-256：{count} 个文件中 {same} 个与发布内容一致，共读取 {bytes}"};
constexpr Text kNothingKnown{
    "For {count} files nothing says what the sum should be; --sums takes a list of them, these are "
    "theirs:",
    "有 {count} 个文件没有可比对的校验和；可用 --sums 给出列表，它们的校验和是："};
constexpr Text kDifferent{"{file}: {found}, published is {expected}",
                          "{file}：{found}，应为 {expected}"};
constexpr Text kUnread{"{file}: {why}", "{file}：{why}"};
constexpr Text kListed{"{file}: in the list, not in the folder", "{file}：列表中有，目录中没有"};
constexpr Text kStopped{"Interrupted: {count} files were not read to their end.",
                        "已中断：{count} 个文件没有读完。"};

std::int64_t count_of(const Verification& verified, SumState state) {
  std::int64_t count = 0;
  for (const VerifiedFile& file : verified.files) count += file.state == state ? 1 : 0;
  return count;
}

void add_sums_found(Page& page, const Verification& verified) {
  const std::int64_t without = count_of(verified, SumState::NoSum);
  if (without == 0) return;
  page.line({kNothingKnown, {{"count", without}}});
  std::size_t shown = 0;
  for (const VerifiedFile& file : verified.files) {
    if (file.state != SumState::NoSum || ++shown > kMostShown) continue;
    page.text += "  " + file.found + "  " + printable(file.path) + '\n';
  }
}

}  // namespace

void add_verified(Page& page, const Inspection& found) {
  if (!found.verified) return;
  const Verification& verified = *found.verified;
  page.heading({kHeading,
                {{"same", count_of(verified, SumState::Same)},
                 {"count", verified.files.size()},
                 {"bytes", verified.bytes}}});
  for (const VerifiedFile& file : verified.files) {
    const Argument name("file", file.path);
    if (file.state == SumState::Different)
      page.line({kDifferent, {name, {"found", file.found}, {"expected", file.expected}}});
    if (file.state == SumState::Unread) page.line({kUnread, {name, {"why", file.detail}}});
  }
  std::size_t shown = 0;
  for (const std::string& name : verified.listed_not_there) {
    if (++shown <= kMostShown) page.line({kListed, {{"file", name}}});
  }
  add_sums_found(page, verified);
  if (verified.interrupted)
    page.line({kStopped, {{"count", count_of(verified, SumState::Skipped)}}});
}

}  // namespace sx
