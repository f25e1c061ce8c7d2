package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemFormatTest {

    private static final String ZEROS = "0000000000000000000000000000000000000000";

    @ParameterizedTest
    @EnumSource
    void anyKeyAndValuePassThrough(ItemFormat format) throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 500; i++) {
            byte[] key = new byte[1 + random.nextInt(40)];
            byte[] value = new byte[random.nextInt(40)];
            random.nextBytes(key);
            random.nextBytes(value);
            if (format == ItemFormat.TSV) {
                key = new String(key, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            }
            Item item = new Item(Key.of(key), value, OptionalLong.empty());

            LineReader lines = new LineReader(new ByteArrayInputStream(format.format(item)));
            Item read = format.parse(lines.next().orElseThrow());

            assertThat(lines.next()).as("one line an entry").isEmpty();
            assertThat(read.key()).isEqualTo(item.key());
            assertThat(read.value()).isEqualTo(value);
        }
    }

    @Test
    void ndjsonKeepsWhenAnEntryExpires() throws Exception {
        Item item = new Item(Key.of("a"), new byte[0], OptionalLong.of(1_700_000_000_123L));

        Item read = ItemFormat.NDJSON.parse(ItemFormat.NDJSON.format(item));

        assertThat(read.expiresAtMillis()).hasValue(1_700_000_000_123L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "-9223372036854775808", "-9223372036854775809", "-1" + ZEROS})
    void anExpiryBefore1970IsOver(String expiry) throws Exception {
        Item read = ItemFormat.NDJSON.parse(utf8("{\"key\":\"a\",\"value\":\"b\",\"expires_at\":" + expiry + "}"));

        assertThat(read.expiresAtMillis()).isPresent();
        assertThat(read.expiresAtMillis().getAsLong()).isNegative();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "1" + ZEROS, "1e400", "-1.5", "1e999999999"})
    void anExpiryThatIsNoTimeIsRefusedWithTheRange(String expiry) {
        assertThatThrownBy(() ->
                        ItemFormat.NDJSON.parse(utf8("{\"key\":\"a\",\"value\":\"b\",\"expires_at\":" + expiry + "}")))
                .isInstanceOf(ClientException.class)
                .hasMessage("expires_at must be a whole number of milliseconds since 1970, up to 9223372036854775807");
    }

    @Test
    void aLineOfManyTinyThingsIsRefusedBeforeTheyTakeMemory() {
        String many = "{\"key\":\"a\",\"value\":\"b\",\"more\":[" + "{},".repeat(2_000) + "{}]}";

        assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8(many)))
                .isInstanceOf(ClientException.class)
                .hasMessageContaining("1000");
    }

    @Test
    void ndjsonTakesTextAndAScansVersion() throws Exception {
        Item read = ItemFormat.NDJSON.parse(utf8("{\"key\":\"ключ\",\"value\":\"a\\nb\",\"version\":\"12\"}"));

        assertThat(read.key()).isEqualTo(Key.of("ключ"));
        assertThat(read.value()).isEqualTo(utf8("a\nb"));
        assertThat(read.expiresAtMillis()).isEmpty();
    }

    @Test
    void anUnknownFieldIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8("{\"key\":\"a\",\"value\":\"1\",\"ttl\":5}")))
                .isInstanceOf(ClientException.class)
                .hasMessage("unknown field \"ttl\"; the fields are "
                        + "key, key_base64, value, value_base64, expires_at, version");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"key\":\"a\",|no whole JSON object; each line must hold one",
                "{|no whole JSON object; each line must hold one",
                "{\"key\":\"a|no whole JSON object; each line must hold one",
                "]|no well-formed JSON object with each field once, at byte 1",
                "{\"key\":\"a\",\"key\":\"b\"}|no well-formed JSON object with each field once, at byte 17",
                "{\"key\":\"a\"} {}|more than one JSON value; each line must hold one object",
                "1|not a JSON object; each line must hold one"
            })
    void aLineThatIsNoJsonObjectIsRefusedInWordsOfItsAuthor(String line, String message) {
        assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8(line)))
                .isInstanceOf(ClientException.class)
                .hasMessage(message);
    }

    @Test
    void aDeeplyNestedLineAndALongNumberAreRefusedWithTheBounds() {
        for (String more : List.of("[".repeat(20), "1".repeat(5_000))) {
            assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8("{\"expires_at\":" + more)))
                    .isInstanceOf(ClientException.class)
                    .hasMessage("an entry's line has at most 1000 names, values and brackets, these at most 8 deep, "
                            + "and numbers of at most 1000 digits");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "YQ!=|character 3 is \"!\", and A to Z, a to z, 0 to 9, + and / are allowed, with = at the end",
                "Y=Q=|character 2 is \"=\", and A to Z, a to z, 0 to 9, + and / are allowed, with = at the end",
                "YQ=|its length is wrong: groups of 4 characters are needed, the last one filled with =",
                "YWJjZ|its length is wrong: groups of 4 characters are needed, the last one filled with ="
            })
    void whatIsNotBase64IsRefusedWithTheCharacter(String text, String why) {
        assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8("{\"key_base64\":\"" + text + "\",\"value\":\"\"}")))
                .isInstanceOf(ClientException.class)
                .hasMessage("key_base64 is not Base64: " + why);
    }

    @Test
    void aTsvKeyInAnotherEncodingIsRefusedWithARemedy() throws Exception {
        byte[] line = "m\u00fcller\t\u00fc".getBytes(StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() -> ItemFormat.TSV.parse(line))
                .isInstanceOf(ClientException.class)
                .hasMessage("the key is not UTF-8: save the file as UTF-8, or use ndjson, which has keys of other "
                        + "bytes as key_base64");
        assertThat(ItemFormat.TSV.parse(new byte[] {'a', '\t', (byte) 0xFF}).value())
                .containsExactly(0xFF);
    }

    @Test
    void tsvTakesLinesThatEndAsOnWindows() throws Exception {
        assertThat(ItemFormat.TSV.parse(utf8("key\tvalue\r")).value()).isEqualTo(utf8("value"));
    }

    @Test
    void tsvTakesAnEmptyValue() throws Exception {
        assertThat(ItemFormat.TSV.parse(utf8("key\t")).value()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "key", "key\tvalue\tmore", "\tvalue", "key\tC:\\dir", "key\tvalue\\", "k\\\ty"})
    void tsvRefusesMalformedLines(String line) {
        assertThatThrownBy(() -> ItemFormat.TSV.parse(utf8(line))).isInstanceOf(ClientException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "[]",
                "1",
                "{\"key\":\"a\"}",
                "{\"value\":\"a\"}",
                "{\"key\":\"\",\"value\":\"a\"}",
                "{\"key\":1,\"value\":\"a\"}",
                "{\"key_base64\":\"*\",\"value\":\"a\"}",
                "{\"key\":\"a\",\"value\":\"\\ud800\"}",
                "{\"key\":\"a\",\"key_base64\":\"Yg==\",\"value\":\"x\"}",
                "{\"key\":\"a\",\"value\":\"x\",\"value_base64\":\"eQ==\"}",
                "{\"key\":\"a\",\"value\":\"b\",\"expires_at\":\"tomorrow\"}",
                "{\"key\":\"a\",\"value\":\"b\",\"expires_at\":1.5}",
                "{\"key\":\"a\",\"key\":\"b\",\"value\":\"c\"}",
                "{\"key\":\"a\",\"value\":\"c\"} {}"
            })
    void ndjsonRefusesMalformedLines(String line) {
        assertThatThrownBy(() -> ItemFormat.NDJSON.parse(utf8(line))).isInstanceOf(ClientException.class);
    }

    @ParameterizedTest
    @CsvSource({"a.tsv,TSV", "A.TAB,TSV", "x/y.ndjson,NDJSON", "a.jsonl,NDJSON"})
    void theNameOfAFileTellsItsFormat(String name, ItemFormat format) {
        assertThat(ItemFormat.ofFileName(name)).contains(format);
    }

    @Test
    void otherNamesTellNothing() {
        assertThat(ItemFormat.ofFileName("tsv")).isEqualTo(Optional.empty());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
