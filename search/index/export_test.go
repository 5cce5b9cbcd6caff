package index

// Leftovers are what a claim removes, in that order.
var Leftovers = leftovers
