package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"trawl/internal/text"
)

// jsonCells are the columns whose strings may hold JSON: those that are objects or
// lists in the forms.
var jsonCells = []string{"messages", "rollout", "trajectory", "metadata", "instance", "cost", "debug_data", "auto_judge", "output", "steps", "seed_query", "tool_calls"}

// A column is a column of a table, or a part of one.
type column struct {
	name               string
	quoted             []byte // name, as JSON
	optional, repeated bool
	def, rep           int // levels of a value that is there
	leaf               int // index of its first leaf
	kids               []*column
	as                 shape
	json               bool // its strings may hold JSON
	foreign            bool // bytes that nobody says are text, of a column that the forms may not know
}

// A shape says how the parts of a column are put together.
type shape int

const (
	asLeaf shape = iota
	asGroup
	asList // of its only part, without the names in between
	asMap
)

// columnOf describes a column; top is that of the table.
func columnOf(of *parquet.Column, top bool) *column {
	c := &column{
		name: of.Name(), optional: of.Optional(), repeated: of.Repeated(), def: of.MaxDefinitionLevel(), rep: of.MaxRepetitionLevel(),
		json: slices.Contains(jsonCells, of.Name()) && (top || of.Name() == "tool_calls"),
	}
	c.quoted = quoted(c.name)
	if of.Leaf() {
		c.leaf = of.Index()
		c.foreign = !slices.Contains(jsonCells, of.Path()[0]) && !isAnnotated[*format.StringType](of, deprecated.UTF8)
		return c
	}
	c.as = asGroup
	for _, kid := range of.Columns() {
		c.kids = append(c.kids, columnOf(kid, false))
	}
	if len(c.kids) > 0 {
		c.leaf = c.kids[0].leaf
	}
	if len(c.kids) == 1 && c.kids[0].repeated {
		switch {
		case isAnnotated[*format.ListType](of, deprecated.List):
			c.as = asList
			if item := c.kids[0]; item.as == asGroup && len(item.kids) == 1 && item.name != "array" {
				item.as = asList // the level in between has no meaning
			}
		case isAnnotated[*format.MapType](of, deprecated.Map) && len(c.kids[0].kids) == 2:
			c.as = asMap
		}
	}
	return c
}

// isAnnotated reports whether a group says that it is a T, in today's words or in
// those that older writers use.
func isAnnotated[T format.LogicalTypeValue](c *parquet.Column, old deprecated.ConvertedType) bool {
	if t := c.Type().LogicalType(); t != nil {
		_, is := t.Value.(T)
		return is
	}
	converted := c.Type().ConvertedType()
	return converted != nil && *converted == old
}

// cells are the values of a row that are not written yet, by leaf. An error
// stays.
type cells struct {
	of     [][]parquet.Value
	noText error // of a column that may be none of the form's: an error only if it is
	err    error
}

// A noTextError is that of so many bytes that are not UTF-8.
type noTextError int

func (n noTextError) Error() string { return fmt.Sprintf("%d bytes that are no UTF-8 text", int(n)) }

// noTextMark stands for bytes that are no text: no form has an object where it has a
// text, so whoever reads it fails.
const noTextMark = `{"bytes":true}`

var errLevels = errors.New("is damaged: values are missing")

// next returns the next value of a leaf.
func (c *cells) next(leaf int) parquet.Value {
	if len(c.of[leaf]) == 0 {
		c.err = errLevels
		return parquet.NullValue()
	}
	return c.of[leaf][0]
}

// skip strikes out what stands for the absence of a column.
func (c *cells) skip(col *column) {
	if col.as == asLeaf {
		if len(c.of[col.leaf]) > 0 {
			c.of[col.leaf] = c.of[col.leaf][1:]
		}
		return
	}
	for _, kid := range col.kids {
		c.skip(kid)
	}
}

// value writes what a column holds.
func (c *cells) value(out []byte, col *column) []byte {
	switch {
	case c.err != nil:
		return out
	case (col.optional || col.repeated) && c.next(col.leaf).DefinitionLevel() < col.def:
		c.skip(col)
		if col.repeated {
			return append(out, "[]"...)
		}
		return append(out, "null"...)
	case !col.repeated:
		return c.present(out, col)
	}
	out = append(out, '[')
	for {
		out = c.present(out, col)
		if rest := c.of[col.leaf]; c.err != nil || len(rest) == 0 || rest[0].RepetitionLevel() < col.rep {
			return append(out, ']')
		}
		out = append(out, ',')
	}
}

// present writes one value of a column that is there.
func (c *cells) present(out []byte, col *column) []byte {
	switch col.as {
	case asLeaf:
		v := c.next(col.leaf)
		c.skip(col)
		if c.err != nil {
			return out
		}
		out, c.err = appendValue(out, v, col)
		if errors.As(c.err, new(noTextError)) && col.foreign {
			c.noText, c.err = c.err, nil
			out = append(out, noTextMark...)
		}
		return out
	case asList:
		return c.value(out, col.kids[0])
	case asMap:
		return c.entries(out, col.kids[0])
	}
	out = append(out, '{')
	for i, kid := range col.kids {
		if i > 0 {
			out = append(out, ',')
		}
		out = c.value(append(append(out, kid.quoted...), ':'), kid)
	}
	return append(out, '}')
}

// entries writes the keys and values of a map as an object.
func (c *cells) entries(out []byte, pair *column) []byte {
	list := c.value(nil, pair)
	var all []map[string]json.RawMessage
	if c.err != nil || json.Unmarshal(list, &all) != nil {
		return append(out, list...)
	}
	out = append(out, '{')
	for i, entry := range all {
		if i > 0 {
			out = append(out, ',')
		}
		key := entry[pair.kids[0].name]
		if len(key) == 0 || key[0] != '"' {
			key = quoted(string(key))
		}
		out = append(append(append(out, key...), ':'), entry[pair.kids[1].name]...)
	}
	return append(out, '}')
}

// appendValue writes a value. Numbers that JSON does not know are null, as pandas
// has them for what is missing; bytes that are no text are an error.
func appendValue(out []byte, v parquet.Value, col *column) ([]byte, error) {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(out, v.Boolean()), nil
	case parquet.Int32:
		return strconv.AppendInt(out, int64(v.Int32()), 10), nil
	case parquet.Int64:
		return strconv.AppendInt(out, v.Int64(), 10), nil
	case parquet.Float:
		return appendFloat(out, float64(v.Float()), 32), nil
	case parquet.Double:
		return appendFloat(out, v.Double(), 64), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return appendText(out, v.ByteArray(), col)
	case parquet.Int96:
		return append(out, quoted(v.String())...), nil
	}
	return append(out, "null"...), nil
}

func appendFloat(out []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(out, "null"...)
	}
	return strconv.AppendFloat(out, f, 'g', -1, bits)
}

// appendText writes a string, or the JSON that it holds.
func appendText(out, s []byte, col *column) ([]byte, error) {
	trimmed := bytes.TrimSpace(s)
	switch {
	case !utf8.Valid(s):
		return out, noTextError(len(s))
	case !col.json || len(trimmed) > 0 && trimmed[0] != '[' && trimmed[0] != '{' && string(trimmed) != "null" && col.name != "messages":
		return append(out, quoted(string(s))...), nil
	case len(trimmed) == 0:
		return append(out, "null"...), nil
	}
	var v json.RawMessage
	if err := json.Unmarshal(trimmed, &v); err != nil {
		return out, jsonError(err)
	}
	return append(out, trimmed...), nil
}

// quoted returns a string as JSON.
func quoted(s string) []byte {
	data, err := text.JSON(s)
	if err != nil {
		panic("exchange: a string has no JSON form")
	}
	return data
}
