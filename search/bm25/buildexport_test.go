package bm25

// WithWindow returns the options with windows of n documents.
func (o Options) WithWindow(n int) Options {
	o.window = n
	return o
}
