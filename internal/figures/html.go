package figures

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed templates
var templates embed.FS

var pageTemplate = template.Must(template.ParseFS(templates, "templates/page.html"))

// A pageView is a page as its template takes it.
type pageView struct {
	Title     string
	Notes     []string
	Sections  []sectionView
	Generator string
	Files     string // names of the files beside the page
	Style     template.CSS
	Script    template.JS
	Policy    string // lets the page run its script and load nothing
}

type sectionView struct {
	Section
	Plots  []plotView
	Tables []tableView
}

type plotView struct {
	ID, Title string
	SVG       template.HTML
	Source    sourceView
}

type tableView struct {
	ID, Title string
	Heads     []headView
	Rows      [][]cellView
	Cut       int    // rows that are not shown
	All       string // address of the page that shows them; "": none does
	Source    sourceView
}

type sourceView struct {
	Source
	Settings []settingView
	Files    []fileView
}

// A settingView is a hash, and as much of it as tells it apart.
type settingView struct{ Short, Whole string }

type fileView struct{ Name, Kind string }

// Render writes the page of p alone. Its links lead to the files that [Write]
// puts beside it.
func Render(w io.Writer, p Page) error {
	err := check(p)
	if err == nil {
		err = renderPage(w, clean(p))
	}
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return nil
}

// renderPage renders a page that is checked and clean.
func renderPage(w io.Writer, p Page) error {
	style, err := templates.ReadFile("templates/style.css")
	if err != nil {
		return err
	}
	script, err := templates.ReadFile("templates/sort.js")
	if err != nil {
		return err
	}
	view := pageView{
		Title: p.Title, Notes: p.Notes, Generator: generator, Files: besides(p),
		Style: template.CSS(style), Script: template.JS(script), Policy: policy(script),
	}
	for _, s := range p.Sections {
		section, err := viewSection(s)
		if err != nil {
			return err
		}
		view.Sections = append(view.Sections, section)
	}
	return pageTemplate.Execute(w, view)
}

// policy allows the page its own style and this one script.
func policy(script []byte) string {
	sum := sha256.Sum256(script)
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

func viewSection(s Section) (sectionView, error) {
	view := sectionView{Section: s}
	for _, p := range s.Plots {
		svg, err := svgInline(p)
		if err != nil {
			return view, fmt.Errorf("plot %q: %w", p.ID, err)
		}
		view.Plots = append(view.Plots, plotView{p.ID, p.Title, template.HTML(svg),
			viewSource(p.Source, fileView{p.ID + ".svg", "SVG"}, fileView{p.ID + ".png", "PNG"})})
	}
	for _, t := range s.Tables {
		view.Tables = append(view.Tables, viewTable(t))
	}
	return view, nil
}

func viewTable(t Table) tableView {
	view := tableView{ID: t.ID, Title: t.Title, Heads: viewHeads(t), Source: viewSource(t.Source, fileView{t.ID + ".csv", "CSV"})}
	rows := t.Rows
	if t.Most > 0 && len(rows) > t.Most {
		view.Cut, rows = len(rows)-t.Most, rows[:t.Most]
		if t.All != "" {
			view.All = t.All + "/" + indexName + "#" + t.ID
		}
	}
	for _, row := range rows {
		cells := make([]cellView, len(row))
		for j, c := range row {
			cells[j] = viewCell(c, view.Heads[j])
		}
		view.Rows = append(view.Rows, cells)
	}
	return view
}

func viewSource(s Source, files ...fileView) sourceView {
	view := sourceView{Source: s, Files: files}
	for _, hash := range s.Settings {
		view.Settings = append(view.Settings, settingView{shortHash(hash), hash})
	}
	return view
}

// shortHash returns the first twelve characters of a hash without its kind.
func shortHash(hash string) string {
	const enough = 12
	short := hash[strings.LastIndex(hash, ":")+1:]
	if runes := []rune(short); len(runes) > enough {
		short = string(runes[:enough])
	}
	return short
}
