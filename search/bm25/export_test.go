package bm25

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/search"
	"trawl/search/english"
	"trawl/search/index"
)

// WriteSimply makes an index the plain way, all in memory, with windows of the
// given size.
func WriteSimply(dir string, docs []search.Document, params index.Params, window int) error {
	w := simpleIndex{files: make(map[string][]byte), docs: docs}
	for _, name := range binaryFiles {
		w.files[name] = appendHeader(nil, name)
	}
	w.meta = meta{Format: index.Static.Format, Version: index.Static.Version, Window: window, Files: make(map[string]fileSum)}
	w.meta.Params, w.meta.Documents = params, len(docs)
	w.analyze()
	w.rank()
	if err := w.writeTexts(); err != nil {
		return err
	}
	if err := w.writeLists(); err != nil {
		return err
	}
	for name, data := range w.files {
		w.meta.Files[name] = fileSum{int64(len(data)), crc32.Checksum(data, castagnoli)}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	data, err := json.Marshal(w.meta)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, metaFile), data, 0o644)
}

type simpleIndex struct {
	meta     meta
	docs     []search.Document
	files    map[string][]byte
	lengths  [classes][]uint32
	postings [classes]map[string][]posting
	sum      [sha256.Size]byte
}

func (w *simpleIndex) analyze() {
	for c := range classes {
		w.postings[c] = make(map[string][]posting)
	}
	var a english.Analyzer
	for i, doc := range w.docs {
		var lengths [classes]uint32
		a.Each(doc.Title+"\n"+doc.Text, func(term string, stop bool) {
			lengths[byAll]++
			c := byAll
			if !stop {
				lengths[byContent]++
				c = byContent
			}
			list := w.postings[c][term]
			if n := len(list); n > 0 && list[n-1].doc == uint32(i) {
				list[n-1].tf++
				return
			}
			w.postings[c][term] = append(list, posting{uint32(i), 1})
		})
		for c := range classes {
			w.lengths[c] = append(w.lengths[c], lengths[c])
		}
		w.meta.Terms += uint64(lengths[byContent])
		w.meta.AllTerms += uint64(lengths[byAll])
		var b []byte
		for _, s := range fieldsOf(&doc) {
			b = binary.BigEndian.AppendUint64(b, uint64(len(*s)))
			b = append(b, *s...)
		}
		for j, x := range sha256.Sum256(b) {
			w.sum[j] ^= x
		}
	}
	w.meta.SHA256 = hex.EncodeToString(w.sum[:])
	for c := range classes {
		w.files[lengthsFile] = appendColumn(w.files[lengthsFile], w.lengths[c])
	}
}

func (w *simpleIndex) rank() {
	order, ranks := make([]uint32, len(w.docs)), make([]uint32, len(w.docs))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int { return strings.Compare(w.docs[i].ID, w.docs[j].ID) })
	for rank, i := range order {
		ranks[i] = uint32(rank)
	}
	w.files[ranksFile] = appendColumn(appendColumn(w.files[ranksFile], ranks), order)
}

func (w *simpleIndex) writeTexts() error {
	var e textEncoder
	var starts []uint64
	var firsts []uint32
	texts, first := w.files[textsFile], 0
	for i, doc := range w.docs {
		if e.add(doc) || (i+1)%w.meta.Window == 0 || i+1 == len(w.docs) {
			starts, firsts = append(starts, uint64(len(texts))), append(firsts, uint32(first))
			texts, first = e.flush(texts), i+1
		}
	}
	w.files[textsFile] = texts
	w.files[offsetsFile] = appendOffsets(w.files[offsetsFile], append(starts, uint64(len(texts))), firsts)
	return nil
}

func (w *simpleIndex) writeLists() error {
	type key struct {
		term string
		c    class
	}
	var keys []key
	for c := range classes {
		for term := range w.postings[c] {
			keys = append(keys, key{term, c})
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return compareTerm([]byte(a.term), a.c, b.term, b.c) })
	var terms bytes.Buffer
	dictionary := newTermsWriter(&terms)
	var scores [classes]*norms
	var lengths [classes]column
	for c := range classes {
		scores[c], lengths[c] = newNorms(w.meta.Params, w.meta.total(c), len(w.docs)), appendColumn(nil, w.lengths[c])
	}
	for _, k := range keys {
		list, before := w.postings[k.c][k.term], len(w.files[postingsFile])
		w.files[postingsFile] = appendList(w.files[postingsFile], layout{len(w.docs), w.meta.Window}, list, scores[k.c], lengths[k.c])
		if err := dictionary.add([]byte(k.term), k.c, len(list), len(w.files[postingsFile])-before); err != nil {
			return err
		}
		w.meta.DistinctTerms++
		w.meta.Postings += uint64(len(list))
	}
	if err := dictionary.close(); err != nil {
		return err
	}
	w.files[termsFile] = terms.Bytes()
	return nil
}
