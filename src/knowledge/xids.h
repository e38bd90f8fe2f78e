// What the kernel's Xid numbers mean for a server (data/xids.tsv).
#pragma once

#include <span>
#include <string_view>

namespace sx {

struct XidRow {
  int xid = 0;
  std::string_view mnemonic;
  std::string_view meaning;
  std::string_view meaning_chinese;
  bool machine_fault = false;  // it tells of a fault of the machine; else of a program, or nothing
  std::string_view scope;      // app, gpu, node, fabric, driver, fw, info, unused; empty: unknown
  std::string_view serving_impact;  // empty: unknown
  std::string_view serving_impact_chinese;
  std::string_view action;  // what to do, in words; empty: unknown
  std::string_view action_chinese;
  std::string_view
      bucket;  // the maker's immediate action: RESTART_APP, RESET_GPU …; empty: unknown
  std::string_view possible_causes;  // "hw,driver,bus"; empty: unknown
  bool non_critical = false;         // one large operator ignores it
  std::string_view source;
};

std::span<const XidRow> xids();
const XidRow* find_xid(int xid);

}  // namespace sx
