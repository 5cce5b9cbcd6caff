package reply

// MaxMend opens the limit of the mending to the tests.
const MaxMend = maxMend
