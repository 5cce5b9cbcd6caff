package eval_test

import (
	"fmt"

	"trawl/corpus/dataset"
	"trawl/eval"
)

func ExampleMark() {
	e := dataset.Example{Golds: []string{"G. Stanley Hall", "Stanley Hall"}, Source: "musique"}
	fmt.Printf("%+v\n", eval.Mark(e, "the Stanley Hall"))
	fmt.Printf("%+v\n", eval.Mark(e, "It was Stanley Hall"))
	// Output:
	// {EM:true F1:1 Contains:true}
	// {EM:false F1:0.6666666666666666 Contains:true}
}

func ExamplePassAt() {
	fmt.Println(eval.PassAt(8, 1, 4)) // eight rollouts, one of them right
	// Output: 0.5
}
