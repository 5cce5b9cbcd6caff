package vector

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"trawl/internal/testutil"
)

// TestGoldenOps holds GELU and the layer norm in float64, with their gradients, to
// golden/selector/ops.json.
func TestGoldenOps(t *testing.T) {
	const tolerance = 1e-8 // what the fixtures' README sets for float64
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/ops.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ops struct {
		GELU struct {
			In, Out, Derivative []float64
		}
		LayerNorm struct {
			Weight, Bias []float64
			Eps          float64
			Cases        []struct {
				In, Out, Upstream, Gradient []float64
			}
		} `json:"layer_norm"`
	}
	if err := json.Unmarshal(data, &ops); err != nil {
		t.Fatal(err)
	}
	if len(ops.GELU.In) != 12 || len(ops.LayerNorm.Cases) != 3 || ops.LayerNorm.Eps != normEpsilon {
		t.Fatalf("%d numbers for GELU, %d rows for the norm, epsilon %v; want 12, 3 and %v",
			len(ops.GELU.In), len(ops.LayerNorm.Cases), ops.LayerNorm.Eps, normEpsilon)
	}
	got, ones := make([]float64, len(ops.GELU.In)), make([]float64, len(ops.GELU.In))
	for i := range ones {
		ones[i] = 1
	}
	GELU(got, ops.GELU.In)
	near(t, "GELU", got, ops.GELU.Out, tolerance)
	GELUGrad(got, ones, ops.GELU.In)
	near(t, "GELUGrad", got, ops.GELU.Derivative, tolerance)
	norm := ops.LayerNorm
	for i, c := range norm.Cases {
		t.Run(fmt.Sprintf("norm %d", i), func(t *testing.T) {
			n := len(c.In)
			got, dweight, dbias := make([]float64, n), make([]float64, n), make([]float64, n)
			mean, rstd := Norm(got, c.In, norm.Weight, norm.Bias)
			near(t, "Norm", got, c.Out, tolerance)
			normalized := make([]float64, n) // dweight = dy·x̂, and x̂ = (y − bias)/weight
			for j := range normalized {
				normalized[j] = c.Upstream[j] * (c.Out[j] - norm.Bias[j]) / norm.Weight[j]
			}
			NormGrad(got, c.Upstream, c.In, norm.Weight, mean, rstd, dweight, dbias)
			near(t, "dx", got, c.Gradient, tolerance)
			near(t, "dweight", dweight, normalized, tolerance)
			near(t, "dbias", dbias, c.Upstream, 0)
		})
	}
}
