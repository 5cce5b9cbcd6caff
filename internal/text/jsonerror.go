package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// JSONError words an error of reading JSON for whoever wrote the JSON: by the
// key, if the error has one, and by JSON's kinds of values. Other errors come
// back as they are.
func JSONError(err error) error {
	var (
		mismatch *json.UnmarshalTypeError
		syntax   *json.SyntaxError
		date     *time.ParseError
	)
	switch {
	case errors.As(err, &mismatch):
		said := fmt.Sprintf("want %s, found %s", wanted(mismatch), found(mismatch.Value))
		if mismatch.Field != "" {
			said = "key " + strings.ToLower(mismatch.Field) + ": " + said
		}
		return errors.New(said)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return errors.New("not JSON: it is cut off")
	case syntax != nil:
		return fmt.Errorf("not JSON at byte %d", syntax.Offset)
	case errors.As(err, &date):
		return fmt.Errorf("want a time such as %s, found %s", time.RFC3339[:19]+"Z", date.Value)
	}
	return err
}

// wanted names the kind of value that should have been there.
func wanted(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case kind == "slice" || kind == "array":
		return "a list"
	case kind == "struct" || kind == "map":
		return "an object"
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	}
	return "a string"
}

// found names a kind of value as encoding/json does, with an article; a number
// may have its digits behind it.
func found(value string) string {
	kind, digits, _ := strings.Cut(value, " ")
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "number":
		if digits != "" {
			return "the number " + digits
		}
	}
	return "a " + kind
}
