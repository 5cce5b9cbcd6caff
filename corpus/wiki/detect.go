package wiki

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 1 << 16

// detect tells a file's format by its name and first bytes.
func detect(path string) (string, error) {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	switch {
	case strings.HasSuffix(name, ".tsv"):
		return DPR, nil
	case isTextName(name):
		return Text, nil
	}
	src, err := openSource(path)
	if err != nil {
		return "", err
	}
	defer src.close()
	head, _ := src.Peek(headBytes) // fewer bytes come with an error that the reading will meet
	if format := detectJSON(bytes.TrimSpace(head)); format != "" {
		return format, nil
	}
	if first, _, _ := bytes.Cut(head, []byte("\n")); bytes.Count(first, []byte("\t")) == 2 {
		return DPR, nil
	}
	return "", fmt.Errorf("%s: neither the name nor the beginning tells the format; say which of %s it is",
		path, strings.Join(Formats()[1:], ", "))
}

// detectJSON tells a format by the keys of the first record; "" if it cannot.
func detectJSON(head []byte) string {
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return ""
	}
	keys := firstKeys(head)
	switch {
	case keys["contents"]:
		return SearchR1
	case keys["paragraphs"]:
		return MuSiQue
	case keys["context"] && keys["evidences"]:
		return TwoWiki
	case keys["context"]:
		return HotpotQA
	case keys["id"] && keys["text"]:
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

// firstKeys returns the keys of the first object, as far as the head has them.
func firstKeys(head []byte) map[string]bool {
	keys := make(map[string]bool)
	dec := json.NewDecoder(bytes.NewReader(head))
	if head[0] == '[' {
		dec.Token()
	}
	if open, _ := dec.Token(); open != json.Delim('{') {
		return keys
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			break
		}
		keys[name] = true
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
	}
	return keys
}
