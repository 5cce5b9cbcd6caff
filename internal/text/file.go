package text

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// ErrUTF16 is the error of a file in the other encoding that editors offer.
var ErrUTF16 = errors.New("is UTF-16: save it as UTF-8")

// ErrEmpty is the error of a file that holds nothing, for readers of files that
// must hold something.
var ErrEmpty = errors.New("is empty")

// NewReader returns a reader of a file of text: decompressed if it is gzip,
// which its first bytes tell, and past its byte order mark. Files of one text may
// come in all these forms. One that begins with the byte order mark of UTF-16 is
// refused with [ErrUTF16].
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
	if mark, _ := b.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		return nil, ErrUTF16
	}
	return b, nil
}
