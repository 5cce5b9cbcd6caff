package recursion

// What the tests of this package look at.
var Render = render

const MaxMerged = maxMerged
