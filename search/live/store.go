package live

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	bleve "github.com/blevesearch/bleve_index_api"
	bolt "go.etcd.io/bbolt/errors"

	"trawl/search/index"
)

// lockWait is how long to wait for another process's lock. bleve's own default
// is for ever.
const lockWait = time.Second

// A store is bleve's index on disk with the workers that analyse for it.
type store struct {
	*scorch.Scorch
	queue *bleve.AnalysisQueue
}

// openStore opens the store in dir, and creates it if it is absent and writable.
// Its memory and its lock stay if bleve panicked, which is then [index.ErrDamaged].
func openStore(dir string, writable bool) (*store, error) {
	queue := bleve.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	s, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":         filepath.Join(dir, storeFolder),
		"read_only":    !writable,
		"bolt_timeout": lockWait.String(),
	}, queue)
	if err != nil {
		queue.Close()
		return nil, err
	}
	err = guarded(func() error {
		err := silently(s.Open)
		if errors.Is(err, bolt.ErrTimeout) {
			return index.ErrBusy
		}
		return err
	})
	if err != nil {
		queue.Close()
		return nil, err
	}
	return &store{s.(*scorch.Scorch), queue}, nil
}

func (s *store) close() error {
	defer s.queue.Close()
	return s.Scorch.Close()
}

// mergeWatch is how often to look whether a merge has failed.
const mergeWatch = 100 * time.Millisecond

// compact makes one segment of all, which is the smallest and the fastest to
// search. A batch that changes nothing then waits until the result is on disk.
//
// bleve tries a merge that failed again for ever and tells its caller nothing, so
// its count of errors is watched; the merge is then left to the closing of the
// store.
func (s *store) compact(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before := s.failures()
	done := make(chan error, 1)
	go func() { done <- s.ForceMerge(ctx, &mergeplan.SingleSegmentMergePlanOptions) }()
	watch := time.NewTicker(mergeWatch)
	defer watch.Stop()
	for {
		select {
		case err := <-done:
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			return s.SetInternal([]byte("compacted"), []byte("yes"))
		case <-watch.C:
			if s.failures() > before {
				return errors.New("bleve cannot merge its segments (is the disk full?)")
			}
		}
	}
}

// failures returns how many errors bleve's workers have met.
func (s *store) failures() uint64 {
	n, _ := s.StatsMap()["TotOnErrors"].(uint64)
	return n
}
