package wiki

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An element is one of a dump whose content matters, or other.
type element byte

const (
	other element = iota
	mediawiki
	siteinfo
	base
	namespace
	page
	title
	ns
	id
	redirect
	revision
	model
	pageText
)

// elements are the elements of MediaWiki's export format. One counts only below
// its parent: a page and a revision both have an id.
var elements = map[string]struct{ is, parent element }{
	"siteinfo": {siteinfo, mediawiki}, "base": {base, siteinfo}, "namespace": {namespace, other}, "page": {page, mediawiki},
	"title": {title, page}, "ns": {ns, page}, "id": {id, page}, "redirect": {redirect, page}, "revision": {revision, page},
	"model": {model, revision}, "text": {pageText, revision},
}

// A token is what a dump goes on with: the beginning or the end of an element.
type token struct {
	element element
	ends    bool
	key     int    // of a namespace
	content []byte // what stands before the end, entities resolved; valid until the next token
}

// A dump is read tag by tag. It knows of XML what MediaWiki writes, and CDATA,
// comments and instructions; encoding/xml is ten times slower, and the greater
// part of the work then.
type dump struct {
	r      *bufio.Reader
	offset int64
	open   []element
	buf    []byte
	tag    []byte
	root   bool // a root element was there
}

// next returns the next token. The file must not end within the root element.
func (d *dump) next() (token, error) {
	d.buf = d.buf[:0]
	for {
		if err := d.content(); err != nil {
			switch {
			case errors.Is(err, io.EOF) && !d.root:
				err = errors.New("want a dump of MediaWiki, found no element")
			case errors.Is(err, io.EOF) && len(d.open) > 0:
				err = io.ErrUnexpectedEOF
			}
			return token{}, err
		}
		if err := d.readTag(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return token{}, err
		}
		switch d.tag[0] {
		case '?', '!':
		case '/':
			return d.end()
		default:
			return d.begin()
		}
	}
}

// content reads what stands before the next tag, and keeps it where it matters.
func (d *dump) content() error {
	keep, start := len(d.open) > 0 && d.open[len(d.open)-1] >= base, len(d.buf)
	for {
		chunk, err := d.r.ReadSlice('<')
		d.offset += int64(len(chunk))
		if keep {
			d.buf = append(d.buf, chunk...)
		}
		if len(d.buf) > maxLine {
			return fmt.Errorf("an element is longer than %d MiB", maxLine>>20)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return err
		default:
			if keep {
				resolved := unescape(d.buf[start : len(d.buf)-1])
				d.buf = d.buf[:start+len(resolved)]
			}
			return nil
		}
	}
}

// readTag reads a tag, without its brackets; a comment becomes "!", and CDATA too,
// whose content is added to that of the element.
func (d *dump) readTag() error {
	d.tag = d.tag[:0]
	quote := byte(0)
	for {
		c, err := d.r.ReadByte()
		if err != nil {
			return err
		}
		d.offset++
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && len(d.tag) > 0 && d.tag[0] != '!':
			quote = c
		case c == '>':
			if len(d.tag) == 0 {
				return errors.New("an empty tag")
			}
			return nil
		}
		d.tag = append(d.tag, c)
		switch {
		case d.tag[0] != '!':
		case string(d.tag) == "!--":
			return d.until("-->", false)
		case string(d.tag) == "![CDATA[":
			return d.until("]]>", true)
		}
		if len(d.tag) > maxWord {
			return errors.New("a tag without end")
		}
	}
}

// until reads until an end, and keeps what stands before it if it should.
func (d *dump) until(end string, keep bool) error {
	start := len(d.buf)
	for {
		chunk, err := d.r.ReadSlice('>')
		d.offset += int64(len(chunk))
		d.buf = append(d.buf, chunk...)
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		if err != nil {
			return err
		}
		if len(d.buf) > maxLine {
			return fmt.Errorf("an element is longer than %d MiB", maxLine>>20)
		}
		if before, found := bytes.CutSuffix(d.buf[start:], []byte(end)); found {
			d.buf = d.buf[:start]
			if keep {
				d.buf = d.buf[:start+len(before)]
			}
			return nil
		}
	}
}

func (d *dump) begin() (token, error) {
	name := strings.TrimSuffix(string(d.tag), "/")
	attributes := ""
	if blank := strings.IndexAny(name, " \t\r\n"); blank >= 0 {
		name, attributes = name[:blank], name[blank:]
	}
	e := elements[name]
	is := other
	switch {
	case len(d.open) == 0 && name != "mediawiki":
		return token{}, fmt.Errorf("want a dump of MediaWiki, found the element <%.40s>", name)
	case len(d.open) == 0:
		is, d.root = mediawiki, true
	case e.parent == d.open[len(d.open)-1]:
		is = e.is
	}
	t := token{element: is}
	if is == namespace {
		_, key, _ := strings.Cut(attributes, `key="`)
		key, _, _ = strings.Cut(key, `"`)
		t.key, _ = strconv.Atoi(key)
	}
	if d.tag[len(d.tag)-1] != '/' {
		d.open = append(d.open, is)
		if len(d.open) > 100 {
			return token{}, errors.New("elements within each other more than 100 deep")
		}
	}
	return t, nil
}

func (d *dump) end() (token, error) {
	name := strings.TrimSpace(string(d.tag[1:]))
	is := other
	if n := len(d.open); n > 0 {
		is, d.open = d.open[n-1], d.open[:n-1]
	}
	want := elements[name].is
	if name == "mediawiki" {
		want = mediawiki
	}
	if is != other && is != want {
		return token{}, fmt.Errorf("</%.40s> closes another element", name)
	}
	return token{element: is, ends: true, content: d.buf}, nil
}
