package text

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
)

// NewReader returns a reader of a file of text: decompressed if it is gzip,
// which its first bytes tell, and past its byte order mark. Files of one text may
// come in all these forms.
func NewReader(r io.Reader) (*bufio.Reader, error) {
	const size = 1 << 16
	b := bufio.NewReaderSize(r, size)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReaderSize(z, size)
	}
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		b.Discard(3)
	}
	return b, nil
}
