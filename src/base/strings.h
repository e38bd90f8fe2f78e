// Small text work that every layer needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);                                    // ASCII letters only
std::vector<std::string_view> split(std::string_view text, char separator);  // keeps empty parts
std::vector<std::string_view> lines_of(
    std::string_view text);  // \n, \r\n and lone \r; no line ends
std::string join(const std::vector<std::string>& parts, std::string_view between);
std::string join(const std::vector<int>& numbers, std::string_view between = ", ");
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

// The whole text as a number, or nothing: no sign surprises, no trailing words, no overflow.
std::optional<long long> to_integer(std::string_view text);
std::optional<double> to_number(std::string_view text);

// Edits (insert, delete, replace, swap of neighbours) from one word to the other; stops counting at
// `limit`.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The candidates nearest to `word`, best first, at most `most`, none farther than a third of its
// length (at least 2).
std::vector<std::string> closest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t most = 3);

}  // namespace sx
