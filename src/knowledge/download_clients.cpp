// Rows in the order of the table.
#include "knowledge/download_clients.h"

#include <algorithm>
#include <vector>

#include "knowledge/cells.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

std::vector<DownloadClient> read_clients() {
  const Table table(table_bytes("data/download_clients.tsv"));
  const RowReader<6> reader(table, {"name", "shown", "parts_in", "parts", "resume", "anew"});
  std::vector<DownloadClient> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [name, shown, parts_in, parts, resume, anew] = reader.row(row);
    all.push_back({name, shown, parts_in, parts, resume, anew});
  }
  return all;
}

}  // namespace

std::span<const DownloadClient> download_clients() {
  static const std::vector<DownloadClient> all = read_clients();
  return all;
}

const DownloadClient* find_download_client(std::string_view name) {
  const auto all = download_clients();
  const auto found = std::ranges::find(all, name, &DownloadClient::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_part(const DownloadClient& client, std::string_view file) {
  if (client.parts.empty() || client.parts.front() != '*' || file.empty()) return false;
  return file.ends_with(client.parts.substr(1));
}

}  // namespace sx
