package feature_test

import (
	"fmt"
	"testing"

	"trawl/selection/feature"
)

func BenchmarkRead(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		for _, dims := range []int{512, 4096} {
			b.Run(fmt.Sprintf("%s/%d", where, dims), func(b *testing.B) {
				o := feature.Options{Name: "fake"}
				if where == "disk" {
					o.Cache = b.TempDir()
				}
				t := open(b, &fake{dims: dims}, o)
				texts := make([]string, 2000)
				for i := range texts {
					texts[i] = fmt.Sprint("text ", i)
				}
				rows := rowsOf(b, t, texts...)
				dst := make([]float32, dims)
				b.SetBytes(int64(2 * dims))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					t.Read(rows[i%len(rows)], dst)
					i += 7
				}
			})
		}
	}
}
