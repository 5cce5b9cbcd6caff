// Package lint holds the rules of the house that a machine can check. It has
// tests only.
package lint
