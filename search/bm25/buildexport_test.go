package bm25

// WithWindow returns the options with windows of n documents.
func (o Options) WithWindow(n int) Options {
	o.window = n
	return o
}

// WithInverter returns the options with inverters that grow to n bytes.
func (o Options) WithInverter(n int64) Options {
	o.inverter = n
	return o
}

// WithMaxima returns the options with other bounds of an index.
func (o Options) WithMaxima(documents int, documentBytes int64) Options {
	o.maxDocuments, o.maxDocumentBytes = documents, documentBytes
	return o
}

// WithBatch returns the options with batches of n bytes, one at a time.
func (o Options) WithBatch(n int) Options {
	o.batchBytes, o.merging = n, int64(n)
	return o
}
