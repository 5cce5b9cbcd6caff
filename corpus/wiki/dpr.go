package wiki

import (
	"fmt"
	"strings"

	"trawl/search"
)

// parseRow parses a row of DPR's psgs_w102.tsv: id, text, title. The header is
// no record.
func parseRow(text []byte, number int) (record, bool, error) {
	fields := splitRow(strings.ToValidUTF8(string(text), "\uFFFD"))
	if len(fields) != 3 {
		return record{}, false, fmt.Errorf("want 3 columns (id, text, title), found %d", len(fields))
	}
	if number == 1 && fields[0] == "id" {
		return record{}, false, nil
	}
	if fields[0] == "" {
		return record{}, false, fmt.Errorf("key id: empty")
	}
	return record{Document: search.Document{ID: fields[0], Text: fields[1], Title: fields[2]}}, true, nil
}

// splitRow splits a row at tabs. A column between quotes may hold tabs, and
// quotes doubled; one that begins with a quote but is not so written, as by
// programs that do not quote at all, is taken as it stands.
func splitRow(row string) []string {
	var fields []string
	for {
		if value, rest, ok := cutQuoted(row); ok {
			fields = append(fields, value)
			if rest == "" {
				return fields
			}
			row = rest[1:]
			continue
		}
		value, rest, more := strings.Cut(row, "\t")
		fields = append(fields, value)
		if !more {
			return fields
		}
		row = rest
	}
}

// cutQuoted cuts a quoted column off a row; rest is empty or begins with the tab.
func cutQuoted(row string) (value, rest string, ok bool) {
	if !strings.HasPrefix(row, `"`) {
		return "", "", false
	}
	for i := 1; i < len(row); i++ {
		if row[i] != '"' {
			continue
		}
		if i+1 < len(row) && row[i+1] == '"' {
			i++
			continue
		}
		if i+1 < len(row) && row[i+1] != '\t' {
			return "", "", false
		}
		return strings.ReplaceAll(row[1:i], `""`, `"`), row[i+1:], true
	}
	return "", "", false
}
