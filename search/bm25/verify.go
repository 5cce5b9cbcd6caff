package bm25

import (
	"context"
	"fmt"
	"hash/crc32"

	"trawl/search/index"
)

// Verify reads all of the index and fails with [index.ErrDamaged] unless it is what
// was written: checksums first, then whether the files hold together. If the
// index is closed meanwhile, it fails with [index.ErrClosed].
func (x *Index) Verify(ctx context.Context) error {
	err := x.use(func() error {
		for _, check := range []func(context.Context) error{x.verifySums, x.verifyRanks, x.verifyLists, x.verifyTexts} {
			if err := check(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("bm25: verify %s: %w", x.dir, err)
	}
	return nil
}

// stopped returns why a Verify under way has to stop.
func (x *Index) stopped(ctx context.Context) error {
	if x.closed.Load() {
		return index.ErrClosed
	}
	return ctx.Err()
}

// verifyPiece is how many bytes are summed up between looks at the context.
const verifyPiece = 1 << 24

func (x *Index) verifySums(ctx context.Context) error {
	for _, name := range binaryFiles {
		sum := uint32(0)
		for data := x.files[name]; len(data) > 0; {
			if err := x.stopped(ctx); err != nil {
				return err
			}
			n := min(len(data), verifyPiece)
			sum = crc32.Update(sum, castagnoli, data[:n])
			data = data[n:]
		}
		if sum != x.meta.Files[name].CRC32C {
			return index.Damaged("%s does not have its checksum", name)
		}
	}
	return checksum(x.files[termsFile])
}

// verifyRanks checks that each document has a rank of its own, and the lengths'
// sums.
func (x *Index) verifyRanks(ctx context.Context) error {
	for i := range uint32(x.meta.Documents) {
		if i%verifyPiece == 0 && x.stopped(ctx) != nil {
			return x.stopped(ctx)
		}
		if rank := x.ranks.at(i); int(rank) >= x.meta.Documents || x.order.at(rank) != i {
			return index.Damaged("%s: document %d has rank %d, which is another's", ranksFile, i, rank)
		}
	}
	for c := range classes {
		total := uint64(0)
		for i := range uint32(x.meta.Documents) {
			total += uint64(x.lengths[c].at(i))
		}
		if want := x.meta.total(c); total != want {
			return index.Damaged("%s: %d terms, and %s says %d", lengthsFile, total, metaFile, want)
		}
	}
	return nil
}

// verifyLists reads every posting.
func (x *Index) verifyLists(ctx context.Context) error {
	terms, postings := uint64(0), uint64(0)
	var room []byte
	end := uint64(headerBytes)
	err := x.terms.each(func(term []byte, e entry) error {
		terms++
		postings += uint64(e.df)
		end = e.offset + e.bytes
		data, err := e.list(x.files[postingsFile])
		if err != nil {
			return err
		}
		var l list
		if l, room, err = decodeList(data, x.layout, e.df, room); err != nil {
			return fmt.Errorf("term %q: %w", term, err)
		}
		return x.verifyList(ctx, string(term), e.class, l)
	})
	switch {
	case err != nil:
		return err
	case terms != x.meta.DistinctTerms || postings != x.meta.Postings:
		return index.Damaged("%d terms and %d postings, and %s says %d and %d", terms, postings, metaFile, x.meta.DistinctTerms, x.meta.Postings)
	case end != uint64(len(x.files[postingsFile])):
		return index.Damaged("%s has %d bytes behind the last list", postingsFile, uint64(len(x.files[postingsFile]))-end)
	}
	return nil
}

// verifyList checks the order of the documents of a list, and its bounds.
func (x *Index) verifyList(ctx context.Context, term string, c class, l list) error {
	for i := range l.windows() {
		if err := x.stopped(ctx); err != nil {
			return err
		}
		h, w := l.head(i), l.window(i)
		cursor := windowCursor{window: w, n: h.count}
		var err error
		if cursor.larges, err = w.larges(nil); err != nil {
			return fmt.Errorf("term %q: %w", term, err)
		}
		for j := range h.count {
			at, tf := cursor.doc(j), cursor.tf(j)
			if j > 0 && at <= cursor.doc(j-1) || int(at) >= x.layout.size(h.window) || tf == 0 {
				return index.Damaged("%s: term %q has its documents out of order", postingsFile, term)
			}
			doc := uint32(h.window*x.layout.window) + at
			if dl := x.lengths[c].at(doc); tf > dl || x.norms[c].saturation(tf, dl) > float64(h.max) {
				return index.Damaged("%s: term %q counts for more in document %d than its list says", postingsFile, term, doc)
			}
		}
	}
	return nil
}

// verifyTexts reads every document, and compares their sum.
func (x *Index) verifyTexts(ctx context.Context) error {
	var block textBlock
	var sum index.Contents
	for i := range x.texts.firsts.len() {
		if err := x.stopped(ctx); err != nil {
			return err
		}
		if err := x.texts.open(&block, i); err != nil {
			return err
		}
		if i == 0 && block.next != 0 || block.next >= block.end {
			return index.Damaged("%s: block %d has documents %d to %d", offsetsFile, i, block.next, block.end)
		}
		for doc := block.next; doc < block.end; doc++ {
			raw, err := x.texts.read(&block, doc)
			if err != nil {
				return err
			}
			sum.Toggle(index.SumOf(raw.document()))
		}
		if len(block.rest) > 0 {
			return index.Damaged("%s: block %d has %d bytes too many", textsFile, i, len(block.rest))
		}
	}
	if got := sum.String(); got != x.meta.SHA256 {
		return index.Damaged("%s: the sha256 of the documents is %s, and %s says %s", textsFile, got, metaFile, x.meta.SHA256)
	}
	return nil
}
