// One short table, read once.
#include "knowledge/file_flags.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

using Flags = std::map<std::string_view, std::vector<FileFlag>, std::less<>>;

FileFlag::Form form_of(std::string_view cell) {
  using enum FileFlag::Form;
  static constexpr std::pair<std::string_view, FileFlag::Form> kForms[] = {{"files", Files},
                                                                           {"scaled", Scaled},
                                                                           {"named", Named},
                                                                           {"folder", Folder},
                                                                           {"template", Template}};
  const auto* found =
      std::ranges::find(kForms, cell, &std::pair<std::string_view, FileFlag::Form>::first);
  return found == std::end(kForms) ? File : found->second;
}

std::vector<std::string_view> words_of(std::string_view cell) {
  return cell.empty() ? std::vector<std::string_view>() : split(cell, ' ');
}

Flags read_flags() {
  const Table table(table_bytes("data/file_flags.tsv"));
  Flags flags;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    flags[table.cell(row, "engine")].push_back({.flag = table.cell(row, "flag"),
                                                .form = form_of(table.cell(row, "form")),
                                                .late = table.cell(row, "opened") == "late",
                                                .words = table.cell(row, "words"),
                                                .brought = table.cell(row, "brought"),
                                                .unless = words_of(table.cell(row, "unless")),
                                                .needs = table.cell(row, "needs")});
  }
  return flags;
}

}  // namespace

std::span<const FileFlag> file_flags(std::string_view engine) {
  static const Flags flags = read_flags();
  const auto found = flags.find(engine);
  return found == flags.end() ? std::span<const FileFlag>{} : found->second;
}

const FileFlag* find_file_flag(std::string_view engine, std::string_view flag) {
  const auto all = file_flags(engine);
  const auto found = std::ranges::find(all, flag, &FileFlag::flag);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sx
