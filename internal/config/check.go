package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

// A checker applies the validate tags of the settings, in words that name keys
// and not Go fields. It implements the decoder's validator interface.
type checker struct{}

// A fault is one value out of range. StructField is how the YAML decoder finds
// the line and column to put before it.
type fault struct {
	field, text string
}

func (f fault) Error() string       { return f.text }
func (f fault) StructField() string { return f.field }

type faults []fault

func (f faults) Error() string { return f[0].text }

var rules = sync.OnceValue(func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		return name
	})
	return v
})

func (checker) Struct(s any) error {
	var errs validator.ValidationErrors
	if err := rules().Struct(s); !errors.As(err, &errs) {
		return err
	}
	var out faults
	for _, e := range errs {
		_, key, _ := strings.Cut(e.Namespace(), ".")
		out = append(out, fault{field: e.StructField(), text: fmt.Sprintf("%s: %v is out of range: want %s", key, e.Value(), want(e))})
	}
	return out
}

// want words a rule.
func want(e validator.FieldError) string {
	switch e.Tag() {
	case "gte", "min":
		return e.Param() + " or more"
	case "gt":
		return "more than " + e.Param()
	case "lte", "max":
		return e.Param() + " or less"
	case "oneof":
		return "one of " + strings.Join(strings.Fields(e.Param()), ", ")
	}
	return e.Tag() + " " + e.Param()
}

// Check reports the first value out of range, for settings that did not come
// from a file, those that flags have changed, and the first further key of a
// request that JSON has no form for.
func (s *Settings) Check() error {
	if err := (checker{}).Struct(s); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	m := s.Models
	for name, extra := range map[string]map[string]any{"agent": m.Agent.Extra, "compressor": m.Compressor.Extra, "aggregator": m.Aggregator.Extra, "judge": m.Judge.Extra} {
		if _, err := json.Marshal(extra); err != nil {
			return fmt.Errorf("config: models.%s.extra: %w", name, err)
		}
	}
	return nil
}
