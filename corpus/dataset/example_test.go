package dataset_test

import (
	"fmt"

	"trawl/corpus/dataset"
)

func ExampleLoad() {
	examples, err := dataset.Load("bamboogle:testdata/bamboogle.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	e := examples[1]
	fmt.Println(e.ID, e.Text)
	fmt.Println(e.Golds)
	// Output:
	// bamboogle-1 What rocket was the first spacecraft that ever approached Uranus launched on?
	// [Titan IIIE]
}
