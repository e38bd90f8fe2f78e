// Runs every scene of the rules' pages and of tests/cases: expected words in both languages, and
// each fix judged by the whole checker. SX_BLESS=1 writes what came out into the pages. Arguments:
// only pages whose path contains one of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "casebook/page.h"
#include "casebook/stage.h"
#include "cli/check.h"
#include "rules/all.h"

namespace sx::casebook {
namespace {

constexpr std::size_t kWidth = 140;  // what a pipe gets

struct Answer {
  std::unique_ptr<GatheredCases> cases;
  std::vector<LaunchAnswer> launches;
  std::string trouble;  // in place of an answer
};

Answer answer_to(Result<std::unique_ptr<GatheredCases>> gathered, Language language) {
  Answer answer;
  if (!gathered) {
    const Error& error = gathered.error();
    answer.trouble =
        language == Language::Chinese && !error.chinese.empty() ? error.chinese : error.what;
    return answer;
  }
  answer.cases = std::move(*gathered);
  for (const Case& c : answer.cases->cases)
    answer.launches.push_back(answer_of(*answer.cases, c, false, language));
  return answer;
}

// A rule's page shows what that rule says; other pages show the whole answer.
std::string shown(const Answer& answer, const std::string& code, Language language) {
  const Style style{.language = language, .colour = false, .width = kWidth, .all = true};
  if (!answer.cases) return "trouble: " + answer.trouble + '\n';
  const Sources sources = shown_sources(answer.cases->sources, answer.cases->cases);
  std::string out;
  for (const LaunchAnswer& launch : answer.launches) {
    if (code.empty()) {
      out += render_text(launch.outcome, sources, launch.asked, style);
      continue;
    }
    for (const Diagnostic& d : launch.outcome.diagnostics) {
      if (d.code != code) continue;
      if (!out.empty()) out += '\n';
      out += render_text(d, sources, style);
      if (!out.ends_with('\n')) out += '\n';
    }
    for (const NotChecked& rule : launch.outcome.not_checked) {
      if (rule.code == code) out += fmt::format("not checked: {}\n", code);
    }
    for (const HeldBack& rule : launch.outcome.held_back) {
      if (rule.code == code) out += fmt::format("held back: {} until {}\n", code, rule.until);
    }
  }
  return out;
}

std::set<std::string> errors_in(const Answer& answer) {
  std::set<std::string> errors;
  for (const LaunchAnswer& launch : answer.launches) {
    for (const Diagnostic& d : launch.outcome.diagnostics) {
      if (d.severity == Severity::Error) errors.insert(fmt::format("{} {}", d.code, d.subject));
    }
  }
  return errors;
}

bool still_says(const Answer& answer, const Diagnostic& d) {
  return std::ranges::any_of(answer.launches, [&d](const LaunchAnswer& launch) {
    return std::ranges::any_of(launch.outcome.diagnostics, [&d](const Diagnostic& other) {
      return other.code == d.code && other.subject == d.subject;
    });
  });
}

class Book {
 public:
  Book(std::filesystem::path root, bool bless) : root_(std::move(root)), bless_(bless) {}

  void run(Page page) {
    std::vector<std::pair<Block, std::string>> changes;
    for (const Scene& scene : page.scenes) {
      const bool question = scene.find("command") != nullptr ||
                            std::ranges::any_of(scene.blocks, [](const Block& block) {
                              return is_launch_file(block.info);
                            });
      if (question) run_scene(page, scene, changes);
    }
    if (bless_ && !changes.empty()) write(page, changes);
  }

  int failed() const { return failed_; }
  int passed() const { return passed_; }

 private:
  void run_scene(const Page& page, const Scene& scene,
                 std::vector<std::pair<Block, std::string>>& changes) {
    const auto stage = set_stage(scene);
    for (const Language language : {Language::English, Language::Chinese}) {
      const Answer answer = answer_to(ask(*stage), language);
      const Block* expected = scene.find(language == Language::English ? "expect" : "expect zh");
      if (expected != nullptr) {
        const std::string out = shown(answer, page.code, language);
        const bool same = out == expected->text;
        if (!same && bless_) changes.emplace_back(*expected, out);
        count(same || bless_, page, scene, "expected:\n" + expected->text + "came out:\n" + out);
      }
      if (language == Language::English) judge_fixes(page, scene, *stage, answer);
    }
  }

  // Every fix is asked again from its text alone: its complaint must be gone and no error may be
  // new.
  void judge_fixes(const Page& page, const Scene& scene, const Stage& stage, const Answer& answer) {
    const auto before = errors_in(answer);
    for (const LaunchAnswer& launch : answer.launches) {
      for (const Diagnostic& d : launch.outcome.diagnostics) {
        for (const Fix& fix : d.fixes) {
          const Answer after = answer_to(ask_instead(stage, fix.command), Language::English);
          const auto errors = errors_in(after);
          const bool good = after.cases && !still_says(after, d) &&
                            (answer.launches.size() > 1 || std::ranges::includes(before, errors));
          count(good, page, scene,
                fmt::format("the fix of {} does not stand: {}\n{}", d.code, fix.command,
                            after.trouble));
        }
      }
      if (launch.outcome.combined.command.empty()) continue;
      const Answer after =
          answer_to(ask_instead(stage, launch.outcome.combined.command), Language::English);
      count(after.cases && std::ranges::includes(before, errors_in(after)), page, scene,
            "the combined fix does not stand: " + launch.outcome.combined.command + '\n');
    }
  }

  void count(bool good, const Page& page, const Scene& scene, const std::string& what) {
    ++(good ? passed_ : failed_);
    if (!good)
      std::fputs(fmt::format("{}:{}: {}\n{}\n", page.path, scene.line, scene.heading, what).c_str(),
                 stdout);
  }

  void write(Page& page, std::vector<std::pair<Block, std::string>>& changes) const {
    std::ranges::sort(changes,
                      [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
    for (const auto& [block, text] : changes)
      page.text.replace(block.begin, block.end - block.begin, text);
    std::ofstream(root_ / page.path) << page.text;
  }

  std::filesystem::path root_;
  bool bless_ = false;
  int passed_ = 0;
  int failed_ = 0;
};

std::vector<std::string> pages_below(const std::filesystem::path& root) {
  std::vector<std::string> pages;
  for (const char* folder : {"src/rules", "tests/cases"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string path = std::filesystem::relative(entry.path(), root).string();
      if (path.ends_with(".md") && !path.ends_with(".zh.md") && !path.ends_with("README.md"))
        pages.push_back(path);
    }
  }
  std::ranges::sort(pages);
  return pages;
}

int run_book(const std::vector<std::string>& filters) {
  const std::filesystem::path root = SEXTANT_SOURCE_DIR;
  Book book(root, std::getenv("SX_BLESS") != nullptr);
  for (const std::string& path : pages_below(root)) {
    const bool wanted =
        filters.empty() || std::ranges::any_of(filters, [&path](const std::string& filter) {
          return path.find(filter) != std::string::npos;
        });
    if (!wanted) continue;
    std::ifstream in(root / path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    book.run(parse_page(path, text.str()));
  }
  std::fputs(fmt::format("{} passed, {} failed\n", book.passed(), book.failed()).c_str(), stdout);
  return book.failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sx::casebook

int main(int argc, char** argv) {
  return sx::casebook::run_book(std::vector<std::string>(argv + 1, argv + argc));
}
