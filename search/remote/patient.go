package remote

import (
	"net/http"
	"time"
)

// stride is how many bytes a caller is to read within the patience of a handler.
const stride = 1 << 20

// A patient writer gives the caller of a call time for every stride of the answer.
// Writers without deadlines, such as those of tests, wait for ever.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	time    time.Duration
	left    int // bytes that may be written before the deadline is moved
}

func newPatient(w http.ResponseWriter, d time.Duration) *patient {
	p := &patient{ResponseWriter: w, control: http.NewResponseController(w), time: d}
	p.extend() // the one before may be of an earlier answer on this connection
	return p
}

// Unwrap is for [http.ResponseController].
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patient) Write(b []byte) (written int, err error) {
	for {
		if p.left == 0 {
			p.extend()
			p.left = stride
		}
		n, err := p.ResponseWriter.Write(b[:min(len(b), p.left)])
		written += n
		p.left -= n
		b = b[n:]
		if err != nil || len(b) == 0 {
			return written, err
		}
	}
}

func (p *patient) extend() {
	p.control.SetWriteDeadline(time.Now().Add(p.time)) //nolint:errcheck // see the type
}
