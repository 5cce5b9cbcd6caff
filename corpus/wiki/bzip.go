package wiki

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cosnicolaou/pbzip2"
)

// isBzip reports whether a file is compressed with bzip2.
func isBzip(head []byte) bool {
	return len(head) >= 4 && bytes.HasPrefix(head, []byte("BZh")) && '1' <= head[3] && head[3] <= '9'
}

// A bunzip decompresses bzip2, of any number of streams, on all cores. Whole
// blocks that stand before damage are read before the error comes. It must be
// closed.
type bunzip struct {
	file    *os.File
	blocks  *pbzip2.Decompressor
	cancel  context.CancelFunc
	done    chan struct{} // closed when no goroutine is left
	scanned error         // set before done is closed
}

// newBunzip begins to decompress what r reads of a file.
func newBunzip(r io.Reader, f *os.File) *bunzip {
	ctx, cancel := context.WithCancel(context.Background())
	z := &bunzip{file: f, blocks: pbzip2.NewDecompressor(ctx), cancel: cancel, done: make(chan struct{})}
	scanner := pbzip2.NewScanner(r)
	go func() {
		defer close(z.done)
		for scanner.Scan(ctx) {
			if z.scanned = z.blocks.Append(scanner.Block()); z.scanned != nil {
				break
			}
		}
		if z.scanned == nil {
			z.scanned = scanner.Err()
		}
		z.blocks.Finish()
	}()
	return z
}

// Read implements [io.Reader].
func (z *bunzip) Read(b []byte) (int, error) {
	n, err := z.blocks.Read(b)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		z.cancel() // lest the rest be scanned for nothing
		z.blocks.Cancel(err)
	}
	<-z.done
	if errors.Is(err, io.EOF) && z.scanned != nil {
		err = z.scanned
	}
	if !errors.Is(err, io.EOF) {
		err = bzipError(err, z.file)
	}
	return n, err
}

// close ends the reading and waits for it.
func (z *bunzip) close() {
	z.cancel()
	z.blocks.Cancel(context.Canceled)
	<-z.done
}

// bzipError words an error of decompression: a file without bzip2's mark of the
// end is cut off, one with something behind it was made by mistake, another is
// damaged.
func bzipError(err error, f *os.File) error {
	info, statErr := f.Stat()
	if statErr != nil {
		return err
	}
	const most = 1 << 20 // a block of bzip2, and what is behind
	tail := make([]byte, min(most, info.Size()))
	if _, readErr := f.ReadAt(tail, info.Size()-int64(len(tail))); readErr != nil && !errors.Is(readErr, io.EOF) {
		return readErr
	}
	end := bzipEnd(tail)
	switch {
	case end < 0 || isStreamStart(tail[end:]):
		return errCutOff
	case end < len(tail):
		return fmt.Errorf("the bzip2 data end %d bytes before the file does: something else stands behind them", len(tail)-end)
	}
	return fmt.Errorf("the file is damaged: bzip2: %w", err)
}

// isStreamStart reports whether bytes are the beginning of a stream, whole or not.
func isStreamStart(b []byte) bool {
	const magic = "BZh"
	n := min(len(b), len(magic))
	return n > 0 && string(b[:n]) == magic[:n]
}

// bzipEnd returns where a stream of bzip2 ends that ends last in a tail of a file:
// behind the mark of the end, which is at any bit, a checksum, and less than a
// byte of padding. It returns -1 if none does.
func bzipEnd(tail []byte) int {
	const mark, bits, checksum = 0x177245385090, 48, 32
	window, end := uint64(0), -1
	for i, b := range tail {
		for bit := 7; bit >= 0; bit-- {
			window = window<<1 | uint64(b>>bit&1)
			if window&(1<<bits-1) != mark {
				continue
			}
			if at := (8*i + 8 - bit + checksum + 7) / 8; at <= len(tail) {
				end = at
			}
		}
	}
	return end
}
