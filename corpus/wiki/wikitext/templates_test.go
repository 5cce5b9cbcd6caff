package wikitext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki/wikitext"
)

// TestTemplates has templates of which a reader sees words.
func TestTemplates(t *testing.T) {
	tests := []struct{ source, want string }{
		{"{{lang|fr|a}} {{lang|fr|text=b}} {{transl|ru|ISO|c}} {{transliteration|ar|d|}} {{langx|ru|e|f}}", "a b c d e"},
		{"{{convert|5|ft|11|in}} {{convert|5|ft|11|in|m|0}} {{convert|10|km|0}} {{convert|10|km|mi|0}}", "5 ft 11 in 5 ft 11 in 10 km 10 km"},
		{"{{convert|5|ft|1|in|to|6|ft|2|in|cm}} {{convert|2|to|{{frac|5|2}}|in}}", "5 ft 1 in to 6 ft 2 in 2 to 5/2 in"},
		{"{{circa|1900|1910}} {{circa}} 1920", "c. 1900 – c. 1910 c. 1920"},
		{"{{as of|2010|May}} {{as of|May 2011|lc=y}} {{as of|2010|5|3}}", "As of May 2010 as of May 2011 As of 3 May 2010"},
		{"{{start date|2010|May|3}} {{start date|2010|Spring}} {{birth date|df=y|1912|June|23}}", "May 3, 2010 Spring 2010 23 June 1912"},
		{"{{birth-date and age|May 3, 1912}} {{death-date and age|May 3, 2010|June 5, 1930}} {{birth year and age|1950}}", "May 3, 1912 May 3, 2010 1950"},
		{"{{val|5.97|e=24|ul=kg}} {{val|1.2|0.3|u=m|up=s}} {{val|1|+2|-3}} {{val|7(1)}} {{val|5|u=%}}", "5.97×10^24 kg 1.2±0.3 m/s 1+2-3 7(1) 5%"},
		{`{{"|a b}} {{lit|c}} {{gloss|d}}`, `"a b" lit. ‘c’ ‘d’`},
		{"{{term|a}} {{defn|b}} {{bq|c}} {{blockquote|text=d}} {{poemquote|e}} {{quote box|width=1|quote=f|source=g}}", "a b c d e f"},
		{"{{nobreak|a}} {{no wrap|b}} {{linktext|大|韓}} {{sortname|Ann|Ash|Ann Ash (d)}} {{sortname|Bo}}", "a b 大韓 Ann Ash Bo"},
		{"{{hlist|a||[[b]]|class=c}} {{ubl|d|e}}", "a, b d, e"},
		{"a\n{{plainlist|\n* b\n* c\n}} d", "a\nb\nc\nd"},
		{"{{height|ft=5|in=11}} {{height|m=1.8}} {{gaps|1|234|567}}", "5 ft 11 in 1.8 m 1234567"},
		{"{{INR|500}} {{₹|1}} {{INR}}2 {{A$|3}} {{SMS|Emden}} {{MV|Dara}}", "₹500 ₹1 ₹2 A$3 SMS Emden MV Dara"},
		{"{{nth|1}} {{nth|2}} {{nth|23}} {{nth|4}} {{nth|11}} {{nth|112}}", "1st 2nd 23rd 4th 11th 112th"},
		{"B{{music|flat}} F{{music|Sharp}} {{music|unknown}}.", "B♭ F♯ ."},
		{"{{unité|5,2|km}} {{unité|3|m|2}} {{unité|5|e=3|km}} {{nombre|12|ans}} {{date|3|mai|2010|en sport}} {{date|2010|5|3}} {{date||mai|2011}}", "5,2 km 3 m2 5×10^3 km 12 ans 3 mai 2010 May 3, 2010 mai 2011"},
		{"{{citation|a}} {{citation|title=b|quote=c}}", "« a »"},
		{"{{Zitat|a|b}} {{Zitat|Text=c}} {{Citazione|d|e}} {{s|f g}} {{num|5|км}} {{読み仮名|東京|とうきょう}}", "a c d f g 5 км 東京（とうきょう）"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, wikitext.Plain(tt.source, nil)); diff != "" {
			t.Errorf("Plain(%q) mismatch (-want +got):\n%s", tt.source, diff)
		}
	}
}
