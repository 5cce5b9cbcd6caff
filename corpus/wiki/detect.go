package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"trawl/internal/text"
)

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 1 << 16

// peek returns the beginning of a file, which must be text of some kind.
func peek(path string) ([]byte, error) {
	src, err := openSource(file{path: path})
	if err != nil {
		return nil, err
	}
	defer src.close()
	head, err := src.Peek(headBytes)
	switch {
	case len(bytes.TrimSpace(head)) == 0 && errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s %w", path, text.ErrEmpty)
	case bytes.IndexByte(head, 0) >= 0:
		return nil, fmt.Errorf("%s is %s, not text", path, binaryKind(head))
	}
	return head, nil // an error that came with fewer bytes will be met by the reading
}

// binaryKind names a kind of file in which corpora are found, and which is to be
// unpacked or converted first.
func binaryKind(head []byte) string {
	for _, kind := range []struct{ magic, name string }{
		{"PAR1", "Parquet"}, {"PK\x03\x04", "a zip archive"}, {"\xfd7zXZ", "compressed with xz"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd"}, {"%PDF", "PDF"}, {"SQLite format 3", "an SQLite database"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return kind.name
		}
	}
	return "binary"
}

// detect tells a file's format by its name and first bytes.
func detect(path string, head []byte) (string, error) {
	switch {
	case hasEnding(path, ".tsv"):
		return DPR, nil
	case isTextName(path):
		return Text, nil
	case hasEnding(path, ".xml"):
		return WikiXML, nil
	}
	head = bytes.TrimSpace(head)
	if isDump(head) {
		return WikiXML, nil
	}
	if isQuestions(head) {
		return "", fmt.Errorf("%s looks like a data set of questions, not a corpus", path)
	}
	if format := detectJSON(head); format != "" {
		return format, nil
	}
	if first, _, _ := bytes.Cut(head, []byte("\n")); bytes.Count(first, []byte("\t")) == 2 {
		return DPR, nil
	}
	return "", fmt.Errorf("%s: neither the name nor the beginning tells the format; say which of %s it is",
		path, strings.Join(Formats()[1:], ", "))
}

// isQuestions reports whether the first record is a question with an answer and
// without paragraphs.
func isQuestions(head []byte) bool {
	if !startsJSON(head) {
		return false
	}
	keys, whole := firstKeys(head)
	answered := keys["golden_answers"] || keys["answer"] || keys["answers"]
	return whole && keys["question"] && answered && !keys["context"] && !keys["paragraphs"] && !keys["contents"] && !keys["text"]
}

// isDump reports whether a dump of MediaWiki begins so.
func isDump(head []byte) bool {
	if bytes.HasPrefix(head, []byte("<?xml")) {
		_, head, _ = bytes.Cut(head, []byte("?>"))
	}
	head = bytes.TrimSpace(head)
	for bytes.HasPrefix(head, []byte("<!--")) {
		_, head, _ = bytes.Cut(head, []byte("-->"))
		head = bytes.TrimSpace(head)
	}
	return bytes.HasPrefix(head, []byte("<mediawiki"))
}

func startsJSON(head []byte) bool { return len(head) > 0 && (head[0] == '{' || head[0] == '[') }

// detectJSON tells a format by the keys of the first record; "" if it cannot.
func detectJSON(head []byte) string {
	if !startsJSON(head) {
		return ""
	}
	keys, _ := firstKeys(head)
	switch {
	case keys["contents"]:
		return SearchR1
	case keys["paragraphs"]:
		return MuSiQue
	case keys["context"] && keys["evidences"]:
		return TwoWiki
	case keys["context"]:
		return HotpotQA
	case (keys["id"] || keys["_id"] || keys["docid"]) && keys["text"]:
		return FlashRAG
	case keys["title"] && keys["text"]:
		return MuSiQue // HippoRAG's list of paragraphs
	case len(keys) > 0 && head[0] == '{' && startsTitleObject(head):
		return HotpotQA // HippoRAG's object of title → sentences
	case keys["question"] || keys["supporting_facts"]:
		return HotpotQA // its context lies beyond the head
	}
	return ""
}

// firstKeys returns the keys of the first object, as far as the head has them,
// and whether it has all of it.
func firstKeys(head []byte) (keys map[string]bool, whole bool) {
	keys = make(map[string]bool)
	dec := json.NewDecoder(bytes.NewReader(head))
	if head[0] == '[' {
		dec.Token()
	}
	if open, _ := dec.Token(); open != json.Delim('{') {
		return keys, false
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys, false
		}
		keys[name] = true
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return keys, false
		}
	}
	_, err := dec.Token() // }
	return keys, err == nil
}
