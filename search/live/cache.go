package live

import "sync"

// cacheBytes bounds the postings kept in memory for one view. At 100 words a
// passage it holds all postings of some 300,000 passages.
const cacheBytes = 256 << 20

// A list is the documents that have a term, ascending, and the term's score in
// each. It does not change.
type list struct {
	docs   []uint32
	scores []float64
}

// bytes is what a list takes in a cache.
func (l *list) bytes(key listKey) int { return 128 + len(key.term) + 12*len(l.docs) }

type listKey struct {
	class class
	term  string
}

// A cache keeps the lists used last within a bound of bytes. It has two
// generations: what is used moves to the young one and, when that has taken half
// of the bound, it becomes the old one, whose lists are dropped.
type cache struct {
	half int

	mu         sync.RWMutex
	young, old map[listKey]*list
	bytes      int // of young
}

func newCache(bytes int) *cache {
	return &cache{half: bytes / 2, young: make(map[listKey]*list)}
}

// get returns the list under the key, or nil.
func (c *cache) get(key listKey) *list {
	c.mu.RLock()
	l, ok := c.young[key]
	if ok {
		c.mu.RUnlock()
		return l
	}
	l = c.old[key]
	c.mu.RUnlock()
	if l != nil {
		c.put(key, l)
	}
	return l
}

func (c *cache) put(key listKey, l *list) {
	n := l.bytes(key)
	if n > c.half {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; ok {
		return
	}
	if c.bytes+n > c.half {
		c.old, c.young, c.bytes = c.young, make(map[listKey]*list), 0
	}
	c.young[key] = l
	c.bytes += n
}
