// Package figures shows results: tables and plots as one self-contained HTML page,
// and each of them as a file of its own beside it. It knows nothing of what the
// numbers mean.
//
// A [Page] is data; [Write] renders it into a folder: index.html, which loads nothing
// from anywhere, a CSV file for each table, an SVG and a PNG file for each plot. Equal
// pages give equal bytes. A folder whose writing was cut short is that of a report all
// the same: it says so, and is written over.
//
// Texts may hold anything: they are escaped, and what cannot be written is replaced.
// What is not finite is left out of plots and is no number in tables. The words of
// PNG files are in Liberation Sans and blank in scripts that it lacks; those of SVG
// files and of the page are in the reader's fonts.
//
// Pages may be rendered by any number of goroutines at once; [Write] is called by
// one at a time for a folder.
package figures

// A Page is a report.
type Page struct {
	Title    string
	Notes    []string // stand above all else, as what makes every figure doubtful
	Sections []Section
	Below    []Below // pages in folders of their own, to which tables lead
}

// A Below is a page in a folder below that of another. It has none below itself.
type Below struct {
	Folder string // of letters, digits and '-'
	Page   Page
}

// A Section is what belongs together. Its parts stand in this order.
type Section struct {
	ID     string // of letters, digits and '-'; unique in a page: the anchor
	Title  string
	Text   []string // paragraphs
	Plots  []Plot
	Tables []Table
}

// A Source says where figures come from; it stands under each table and plot.
type Source struct {
	N        string   // what the figures are over, such as "601 questions × 4 rollouts"
	Interval string   // such as "95 % bootstrap over questions"
	Settings []string // hashes, one for each run
	Command  string   // that makes them
	Note     string
}

// A Table has cells of text, numbers and numbers with an interval.
type Table struct {
	ID      string // as that of a section; the name of its CSV file
	Title   string
	Columns []string
	Rows    [][]Cell // each as long as Columns
	Most    int      // rows that the page shows; 0: all, which the CSV file has anyway
	All     string   // Folder of the page below that shows all of them; "": none does
	Mark    string   // stands in each row of the CSV file, in a last column called note, since the file may travel alone
	Source  Source
}

// A Cell is a text, a number or a number with an interval. In a CSV file a column
// with intervals has two further columns, one with N has another, and numbers have
// all their digits.
type Cell struct {
	Text     string      // what is shown; of a number "" shows it with three decimals
	Value    *float64    // nil: a text
	Interval *[2]float64 // nil: none
	N        int         // that the number is over; 0: not said
}

// A Plot is lines, bars or points.
type Plot struct {
	ID     string // as that of a section; the name of its SVG and PNG files
	Title  string
	X, Y   Axis
	Series []Series
	Mark   string // stands in the picture itself, which may travel alone, such as "simulated model"
	Source Source
}

// An Axis is what one axis of a plot shows.
type Axis struct {
	Label string
	Log2  bool     // such as k of pass@k
	Names []string // of the places 0, 1, 2 …, for bars
	Unit  bool     // from 0 to 1
}

// A Shape is how a series is drawn.
type Shape string

// The shapes.
const (
	Line   Shape = "line"   // with points, and a band where there are intervals
	Bars   Shape = "bars"   // side by side with those of other series, with whiskers
	Points Shape = "points" // alone
)

// A Series is one line of the legend.
type Series struct {
	Name   string
	Shape  Shape // default Line
	Dashed bool
	Points []Point
}

// A Point is one value.
type Point struct {
	X, Y     float64
	Interval *[2]float64 // of Y
	N        int         // that Y is over; 0: not said. Nothing shows it
}
