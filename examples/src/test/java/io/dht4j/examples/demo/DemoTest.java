package io.dht4j.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.examples.demo.UnicodeNames.Named;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTest {

    @Test
    void the_data_set_has_every_named_character() {
        List<Named> all = UnicodeNames.all();

        assertThat(all).hasSizeGreaterThan(140_000);
        assertThat(all).contains(new Named('A', "LATIN CAPITAL LETTER A"), new Named(0x1F600, "GRINNING FACE"));
        assertThat(all)
                .extracting(Named::key)
                .contains("U+0000", "U+0041", "U+1F600")
                .doesNotHaveDuplicates();
        assertThat(all).extracting(Named::codePoint).isSorted().doesNotContain(0xD800, 0xE000, 0x10FFFF);
    }
}
