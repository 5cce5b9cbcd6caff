package sim

import (
	"sync"

	"trawl/agent/llm/sim/internal/reader"
)

// maxUnderstood bounds the questions whose parse is kept.
const maxUnderstood = 4096

// A parseCache keeps how questions were understood, since every turn of every
// rollout has the same one. It changes no reply. It is safe for concurrent use.
type parseCache struct {
	mu   sync.RWMutex
	kept map[string]*reader.Question
}

func (p *parseCache) understand(question string) *reader.Question {
	p.mu.RLock()
	q := p.kept[question]
	p.mu.RUnlock()
	if q != nil {
		return q
	}
	q = reader.Understand(question)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= maxUnderstood {
		clear(p.kept)
	}
	if p.kept == nil {
		p.kept = map[string]*reader.Question{}
	}
	p.kept[question] = q
	return q
}
