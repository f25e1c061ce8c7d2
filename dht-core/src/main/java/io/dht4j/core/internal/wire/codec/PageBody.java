package io.dht4j.core.internal.wire.codec;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;

/**
 * Reads pages of ranges. A page that is out of order, out of its range or does not advance is malformed. With such
 * pages, a faulty or malicious peer could make a reader loop, or skip keys.
 */
final class PageBody {

    private PageBody() {}

    /** Reads the page that a request asked for. */
    static Reply.Page read(FrameReader in, Request.ScanPage request) throws FrameException {
        List<Entry> entries = in.entries();
        if (entries.size() > Math.max(1, request.maxEntries())) {
            throw in.malformed("a page of " + entries.size() + " entries, not " + request.maxEntries());
        }
        Position position = new Position(request.range());
        for (Entry entry : entries) {
            position.pass(in, entry.key());
        }
        return new Reply.Page(entries, position.resume(in));
    }

    /** The position within a page. */
    static final class Position {

        private final Key start;
        private final Optional<Key> end;
        private Optional<Key> last = Optional.empty();
        private int passed;

        Position(KeyRange range) {
            this.start = range.start();
            this.end = range.end();
        }

        /** Advances to a key of the page, which must be after the previous one. */
        void pass(FrameReader in, Key key) throws FrameException {
            if (last.isPresent() ? key.compareTo(last.get()) <= 0 : key.compareTo(start) < 0) {
                throw in.malformed("key " + (passed + 1) + " of a page is not behind what comes before it");
            }
            if (end.isPresent() && key.compareTo(end.get()) >= 0) {
                throw in.malformed("key " + (passed + 1) + " of a page is behind the range that was asked for");
            }
            last = Optional.of(key);
            passed++;
        }

        /** Reads the start of the next page, if there is one: it must be after all keys of this one. */
        Optional<Key> resume(FrameReader in) throws FrameException {
            if (!in.flag("the resume flag")) {
                return Optional.empty();
            }
            Key resume = in.key();
            if (resume.compareTo(last.orElse(start)) <= 0) {
                throw in.malformed("the page after one of " + passed + " keys does not begin behind it");
            }
            if (end.isPresent() && resume.compareTo(end.get()) >= 0) {
                throw in.malformed(
                        "the page after one of " + passed + " keys begins behind the range that was asked for");
            }
            return Optional.of(resume);
        }
    }
}
