package bm25

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"trawl/search"
	"trawl/search/index"
)

// A crafted index is one whose files were made by hand, with checksums that are
// right.
type crafted struct {
	meta  meta
	files map[string][]byte
}

// craft makes an index of 100 documents in windows of 64, in which "elk" is in a
// dense list of all documents, once in each, and "owl" in a sparse one of the
// documents 3 and 70.
func craft(t *testing.T) crafted {
	t.Helper()
	docs := make([]search.Document, 100)
	for i := range docs {
		docs[i] = search.Document{ID: fmt.Sprintf("%02d", i), Text: "elk " + strings.Repeat("the ", 250)}
	}
	docs[3].Text, docs[70].Text = "elk owl", "elk owl gnu"
	dir := t.TempDir()
	if err := WriteSimply(dir, docs, index.Params{}, 64); err != nil {
		t.Fatal(err)
	}
	c := crafted{files: make(map[string][]byte)}
	err := index.Static.ReadMeta(dir, &c.meta)
	for _, name := range binaryFiles {
		var readErr error
		c.files[name], readErr = os.ReadFile(filepath.Join(dir, name))
		err = errors.Join(err, readErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clone returns a copy to be changed.
func (c crafted) clone() *crafted {
	c.files, c.meta.Files = maps.Clone(c.files), maps.Clone(c.meta.Files)
	for name, data := range c.files {
		c.files[name] = slices.Clone(data)
	}
	return &c
}

// sealTerms puts the right checksum at the end of the dictionary.
func (c *crafted) sealTerms() {
	data := c.files[termsFile][:len(c.files[termsFile])-crc32.Size]
	c.files[termsFile] = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// write makes the files' folder.
func (c *crafted) write(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range c.files {
		c.meta.Files[name] = fileSum{int64(len(data)), crc32.Checksum(data, castagnoli)}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := index.WriteMeta(dir, c.meta); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (c *crafted) open(t *testing.T) *Index {
	t.Helper()
	x, err := Open(c.write(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// list returns the bytes of the list of a term.
func (c *crafted) list(t *testing.T, term string, of class) []byte {
	t.Helper()
	d, err := openTerms(c.files[termsFile])
	if err != nil {
		t.Fatal(err)
	}
	e, ok, err := d.find(new(blockReader), term, of)
	if err != nil || !ok {
		t.Fatalf("no term %q: %v", term, err)
	}
	return c.files[postingsFile][e.offset : e.offset+e.bytes]
}

// column returns the i-th of the columns that a file has.
func (c *crafted) column(name string, i int) column {
	n := 4 * c.meta.Documents
	return column(c.files[name][headerBytes+n*i : headerBytes+n*(i+1)])
}

func (c column) set(i int, v uint32) { binary.LittleEndian.PutUint32(c[4*i:], v) }

// firsts returns the first documents of the blocks of texts.
func (c *crafted) firsts() column {
	data := c.files[offsetsFile]
	blocks := (len(data) - headerBytes - 8) / offsetBytes
	return column(data[len(data)-4*blocks:])
}

// TestVerify damages one thing at a time that no checksum shows.
func TestVerify(t *testing.T) {
	whole := craft(t)
	if err := whole.clone().open(t).Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	const docsAt = denseHead + 2*windowHead // of the first window of "elk", which is followed by its tfs
	for _, tt := range []struct {
		damage string
		change func(c *crafted)
		want   string
	}{
		{"two documents of one rank", func(c *crafted) { c.column(ranksFile, 0).set(1, 0) }, "document 1 has rank 0, which is another's"},
		{"a rank beyond all", func(c *crafted) { c.column(ranksFile, 0).set(2, 100) }, "document 2 has rank 100"},
		{"the reverse of a rank", func(c *crafted) { c.column(ranksFile, 1).set(0, 1) }, "document 0 has rank 0"},
		{"a length", func(c *crafted) { c.column(lengthsFile, 0).set(5, 2) }, "lengths: 104 terms, and index.json says 103"},
		{"a length with stop words", func(c *crafted) { c.column(lengthsFile, 1).set(5, 250) }, "lengths: 24602 terms, and index.json says 24603"},
		{"postings in index.json", func(c *crafted) { c.meta.Postings++ }, "201 postings, and index.json says 4 and 202"},
		{"bytes behind the last list", func(c *crafted) { c.files[postingsFile] = append(c.files[postingsFile], 0, 0) }, "2 bytes behind the last list"},
		{"documents in another order", func(c *crafted) { copy(c.list(t, "elk", byContent)[docsAt:], []byte{1, 0, 0, 0}) }, `"elk" has its documents out of order`},
		{"a document twice", func(c *crafted) { copy(c.list(t, "elk", byContent)[docsAt+2:], []byte{0, 0}) }, `"elk" has its documents out of order`},
		{"a document behind the last", func(c *crafted) {
			copy(c.list(t, "elk", byContent)[docsAt+3*64+2*35:], []byte{36, 0})
		}, `"elk" has its documents out of order`},
		{"a document without the term", func(c *crafted) { c.list(t, "elk", byContent)[docsAt+2*64] = 0 }, `"elk" has its documents out of order`},
		{"more of a term than a document is long", func(c *crafted) { c.list(t, "elk", byContent)[docsAt+2*64] = 2 }, `"elk" counts for more in document 0`},
		{"a bound", func(c *crafted) {
			binary.LittleEndian.PutUint32(c.list(t, "elk", byContent)[denseHead+4:], 0x3f7fffff)
		}, `"elk" counts for more in document 0`},
		{"a bound of a sparse list", func(c *crafted) {
			binary.LittleEndian.PutUint32(c.list(t, "owl", byContent), 0x3f7fffff)
		}, `"owl" counts for more in document 3`},
		{"the first block's first document", func(c *crafted) { c.firsts().set(0, 1) }, "block 0 has documents 1 to"},
		{"a block without documents", func(c *crafted) { c.firsts().set(1, 0) }, "block 0 has documents 0 to 0"},
		{"a document in the next block", func(c *crafted) { c.firsts().set(1, c.firsts().at(1)-1) }, "block 0 has"},
		{"a document in the block before", func(c *crafted) { c.firsts().set(1, c.firsts().at(1)+1) }, "is missing in its block"},
		{"the checksum in terms", func(c *crafted) { c.files[termsFile][len(c.files[termsFile])-1]++ }, "terms does not have its checksum"},
		{"the sha256", func(c *crafted) { c.meta.SHA256 = strings.Repeat("0", 64) }, "the sha256 of the documents is"},
	} {
		t.Run(tt.damage, func(t *testing.T) {
			c := whole.clone()
			tt.change(c)
			err := c.open(t).Verify(t.Context())
			if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Verify = %v, want ErrDamaged and %q", err, tt.want)
			}
		})
	}
}

// TestOpenRefuses has indexes that are inconsistent at their ends.
func TestOpenRefuses(t *testing.T) {
	whole := craft(t)
	for _, tt := range []struct {
		damage string
		change func(c *crafted)
		want   string
	}{
		{"k1", func(c *crafted) { c.meta.Params.K1 = 1e300 }, "k1 is 1e+300"},
		{"b", func(c *crafted) { c.meta.Params.B = 1.5 }, "b is 1.5"},
		{"windows", func(c *crafted) { c.meta.Window = 65 }, "windows of 65"},
		{"great windows", func(c *crafted) { c.meta.Window = 1 << 17 }, "windows of 131072"},
		{"small windows", func(c *crafted) { c.meta.Window = 32 }, "windows of 32"},
		{"fewer than no documents", func(c *crafted) { c.meta.Documents = -1 }, "-1 documents"},
		{"too many documents", func(c *crafted) { c.meta.Documents, c.meta.Window = 1<<29+1, 1<<16 }, "(index.json: 536870913 documents)"},
		{"more documents than windows can hold", func(c *crafted) { c.meta.Documents = 64<<16 + 1 }, "4194305 documents in windows of 64"},
		{"terms", func(c *crafted) { c.meta.AllTerms = 1 }, "1 terms with stop words and 103 without"},
		{"distinct terms", func(c *crafted) { c.meta.DistinctTerms++ }, "terms has 4 terms, and index.json says 5"},
		{"a file's sum", func(c *crafted) { delete(c.meta.Files, "terms"); delete(c.files, "terms") }, "no size and checksum of terms"},
		{"lengths", func(c *crafted) { c.files[lengthsFile] = append(c.files[lengthsFile], 0, 0, 0, 0) }, "lengths has 820 bytes, too few or too many for 100"},
		{"ranks", func(c *crafted) { c.files[ranksFile] = c.files[ranksFile][:812] }, "ranks has 812 bytes, too few or too many for 100"},
		{"a short file", func(c *crafted) { c.files[textsFile] = c.files[textsFile][:9] }, "texts has 9 bytes, less than its header"},
		{"another file", func(c *crafted) { c.files[textsFile][7]++ }, "texts begins with"},
		{"another version", func(c *crafted) { c.files[textsFile][8]++ }, "texts says version 2"},
		{"the end of texts", func(c *crafted) { c.files[textsFile] = append(c.files[textsFile], 0) }, "offsets says"},
	} {
		t.Run(tt.damage, func(t *testing.T) {
			c := whole.clone()
			tt.change(c)
			dir := c.write(t)
			_, err := Open(dir)
			if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, want ErrDamaged and %q", err, tt.want)
			}
			if maps, err := os.ReadFile("/proc/self/maps"); err == nil && strings.Contains(string(maps), dir) {
				t.Error("files of an index that did not open stay mapped")
			}
		})
	}
}

// TestMetaFlips changes each byte of index.json: no such index opens.
func TestMetaFlips(t *testing.T) {
	dir := craft(t).clone().write(t)
	path := filepath.Join(dir, metaFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) error {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Open(dir)
		if err == nil {
			x.Close()
		}
		return err
	}
	for i := range whole {
		data := slices.Clone(whole)
		data[i] ^= 1
		if err := put(data); err == nil {
			t.Errorf("byte %d of index.json, %q, is not seen to be %q", i, whole[i], data[i])
		}
	}
	for _, tt := range []struct{ old, new string }{
		{`"k1": 0`, `"k1": 1.9`}, {`"b": 0`, `"b": 0.5`}, {`  "terms": 103`, `"terms": 102`}, {`"format"`, `"source": "x", "format"`},
		{`"crc32c": `, `"crc32d": `}, {"}\n", "}}\n"},
	} {
		data := strings.Replace(string(whole), tt.old, tt.new, 1)
		if err := put([]byte(data)); data == string(whole) || !errors.Is(err, index.ErrDamaged) {
			t.Errorf("Open with %s instead of %s in index.json: %v, want ErrDamaged", tt.new, tt.old, err)
		}
	}
	for _, n := range []int{0, 1, 20, len(whole) / 2, len(whole) - 3} {
		if err := put(whole[:n]); !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), "index.json") {
			t.Errorf("Open with %d bytes of index.json: %v, want ErrDamaged", n, err)
		}
	}
	if err := put([]byte(strings.Join(strings.Fields(string(whole)), " "))); err != nil {
		t.Errorf("white space between tokens counts: %v", err)
	}
}

// TestTooFrequent: a term that more documents have than there are is damage.
func TestTooFrequent(t *testing.T) {
	c := craft(t).clone()
	at := strings.Index(string(c.files[termsFile]), "elk") + len("elk")
	if c.files[termsFile][at] != 100 {
		t.Fatalf("df is %d, want 100", c.files[termsFile][at])
	}
	c.files[termsFile][at] = 101
	c.sealTerms()
	if _, err := c.open(t).Search(t.Context(), "elk", 1); !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), `101 of 100 documents have term "elk"`) {
		t.Errorf("Search = %v", err)
	}
}

// TestFaultsRestored: a search leaves its goroutine as it was.
func TestFaultsRestored(t *testing.T) {
	x := craft(t).clone().open(t)
	if _, err := x.Search(t.Context(), "elk", 1); err != nil {
		t.Error(err)
	}
	if debug.SetPanicOnFault(false) {
		t.Error("faults panic after a search")
	}
}

// A closing context closes the index when it is looked at, in another goroutine,
// and looks at what a search then does.
type closing struct {
	context.Context
	t      *testing.T
	x      *Index
	closed chan error
}

func (c *closing) Err() error {
	if c.closed != nil {
		return nil
	}
	c.closed = make(chan error, 1)
	go func() { c.closed <- c.x.Close() }()
	for !c.x.closed.Load() {
		runtime.Gosched()
	}
	if _, err := c.x.Search(c.t.Context(), "elk", 1); !errors.Is(err, index.ErrClosed) { // and does not wait
		c.t.Errorf("Search while Close waits for Verify: %v, want ErrClosed", err)
	}
	return nil
}

// TestCloseStopsVerify: a Close does not wait for Verify to read everything, and
// searches do not wait for Close.
func TestCloseStopsVerify(t *testing.T) {
	ctx := &closing{Context: t.Context(), t: t, x: craft(t).clone().open(t)}
	if err := ctx.x.Verify(ctx); !errors.Is(err, index.ErrClosed) {
		t.Errorf("Verify of an index that is closed meanwhile: %v, want ErrClosed", err)
	}
	select {
	case err := <-ctx.closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close does not return")
	}
	if err := ctx.x.Close(); !errors.Is(err, index.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
}
