package llm

import "time"

// RetryWith is [Retry] with a source of chance of its own.
func RetryWith(c Client, attempts int, base time.Duration, chance func() float64) Client {
	return retry{Client: c, attempts: attempts, base: base, chance: chance}
}

// Longest is the longest wait.
const Longest = longestWait

// Order returns the order in which a route tries its clients.
func Order(c Client, affinity string) []int { return c.(*route).order(affinity) }

// Size returns how many calls a limit lets in now.
func Size(c Client) int {
	l := c.(*limit)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}
