package io.dht4j.core.internal.wire.codec;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.Request.Query;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The bodies of replies: sizes, writing and reading. */
final class ReplyBody {

    /** A part's type and length. */
    static final int PART_BYTES = 1 + 4;

    /** The index of an entry and a version. */
    private static final int NEWER_BYTES = 2 + 8;

    private static final int ABSENT = 0;
    private static final int WHOLE = 1;
    private static final int VERSION_ONLY = 2;

    private ReplyBody() {}

    static int type(Reply reply) {
        if (reply instanceof Reply.Found) {
            return FrameTypes.FOUND;
        }
        if (reply instanceof Reply.Applied) {
            return FrameTypes.APPLIED;
        }
        if (reply instanceof Reply.Page) {
            return FrameTypes.PAGE;
        }
        if (reply instanceof Reply.Failed) {
            return FrameTypes.FAILED;
        }
        if (reply instanceof Reply.OtherSettings) {
            return FrameTypes.OTHER_SETTINGS;
        }
        if (reply instanceof RepairReply repair) {
            return RepairBody.type(repair);
        }
        if (reply instanceof MembershipReply membership) {
            return MembershipBody.type(membership);
        }
        if (reply instanceof RegisterReply register) {
            return RegisterBody.type(register);
        }
        if (reply instanceof Reply.Features) {
            return FrameTypes.FEATURES_KNOWN;
        }
        if (reply instanceof Reply.SnapshotOpened) {
            return FrameTypes.SNAPSHOT_OPENED;
        }
        if (reply instanceof Reply.SnapshotDone) {
            return FrameTypes.SNAPSHOT_DONE;
        }
        if (reply instanceof Reply.SnapshotLacks) {
            return FrameTypes.SNAPSHOT_LACKS;
        }
        return reply instanceof Reply.Batch ? FrameTypes.BATCHED : FrameTypes.PONG;
    }

    static int size(Reply reply) {
        if (reply instanceof Reply.Found found) {
            int size = 4;
            for (Answer answer : found.answers()) {
                size = Math.addExact(size, sizeOf(answer));
            }
            return size;
        }
        if (reply instanceof Reply.Page page) {
            return FrameWriter.sizeOf(page.entries())
                    + 1
                    + page.resume().map(FrameWriter::sizeOf).orElse(0);
        }
        if (reply instanceof Reply.Failed failed) {
            return 2 + 2 + FrameWriter.utf8(failed.message()).length;
        }
        if (reply instanceof Reply.Applied applied) {
            return 2 + NEWER_BYTES * applied.newer().size();
        }
        if (reply instanceof Reply.OtherSettings other) {
            int size = 4;
            for (Map.Entry<String, String> setting : other.settings().values().entrySet()) {
                size += 2 + utf8(setting.getKey()).length + 2 + utf8(setting.getValue()).length;
            }
            return size;
        }
        if (reply instanceof MembershipReply membership) {
            return MembershipBody.size(membership);
        }
        if (reply instanceof RegisterReply register) {
            return RegisterBody.size(register);
        }
        if (reply instanceof Reply.SnapshotOpened || reply instanceof Reply.Features) {
            return 8;
        }
        if (reply instanceof Reply.SnapshotLacks lacks) {
            return FrameWriter.sizeOf(lacks.partitions());
        }
        if (reply instanceof Reply.Batch batch) {
            int size = 4;
            for (Reply part : batch.replies()) {
                size = Math.addExact(size, PART_BYTES + size(part));
            }
            return size;
        }
        return reply instanceof RepairReply repair ? RepairBody.size(repair) : 0;
    }

    private static byte[] utf8(String text) {
        return FrameWriter.utf8(text, ClusterSettings.MAX_TEXT_BYTES);
    }

    static int sizeOf(Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            return 1 + FrameWriter.sizeWithoutKey(whole.entry());
        }
        return answer instanceof Answer.VersionOnly ? 1 + 8 + 4 + 4 : 1;
    }

    static void write(FrameWriter out, Reply reply) {
        if (reply instanceof Reply.Found found) {
            out.i32(found.answers().size());
            for (Answer answer : found.answers()) {
                write(out, answer);
            }
        } else if (reply instanceof Reply.Page page) {
            out.entries(page.entries()).flag(page.resume().isPresent());
            page.resume().ifPresent(out::key);
        } else if (reply instanceof Reply.Failed failed) {
            out.u16(failed.code().number()).text(FrameWriter.utf8(failed.message()));
        } else if (reply instanceof Reply.Applied applied) {
            out.u16(applied.newer().size());
            for (int i = 0; i < applied.newer().size(); i++) {
                Reply.Newer newer = applied.newer().get(i);
                out.u16(newer.index()).i64(newer.version().packed());
            }
        } else if (reply instanceof Reply.OtherSettings other) {
            out.i32(other.settings().values().size());
            other.settings()
                    .values()
                    .forEach((name, value) -> out.text(utf8(name)).text(utf8(value)));
        } else if (reply instanceof Reply.Features features) {
            out.i64(features.known());
        } else if (reply instanceof Reply.SnapshotOpened opened) {
            out.i64(opened.clock().packed());
        } else if (reply instanceof Reply.SnapshotLacks lacks) {
            out.partitions(lacks.partitions());
        } else if (reply instanceof Reply.Batch batch) {
            out.i32(batch.replies().size());
            for (Reply part : batch.replies()) {
                out.u8(type(part)).i32(size(part));
                write(out, part);
            }
        } else if (reply instanceof MembershipReply membership) {
            MembershipBody.write(out, membership);
        } else if (reply instanceof RegisterReply register) {
            RegisterBody.write(out, register);
        } else if (reply instanceof RepairReply repair) {
            RepairBody.write(out, repair);
        }
    }

    static void write(FrameWriter out, Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            out.u8(WHOLE).entry(whole.entry());
        } else if (answer instanceof Answer.VersionOnly only) {
            out.u8(VERSION_ONLY)
                    .i64(only.version().packed())
                    .i32(only.valueBytes())
                    .i32(only.digest());
        } else {
            out.u8(ABSENT);
        }
    }

    /** Reads the reply to a request; a reply that does not match the request is malformed. */
    static Reply read(FrameReader in, int type, Request request) throws FrameException {
        if (type == FrameTypes.FAILED || type == FrameTypes.OTHER_SETTINGS) {
            return refusal(in, type);
        }
        if (type == FrameTypes.FOUND && request instanceof Request.ReadKeys read) {
            return found(in, read.queries());
        }
        if (type == FrameTypes.FOUND && request instanceof RepairRequest.Entries entries) {
            return found(in, entries.queries());
        }
        if (type == FrameTypes.APPLIED && request instanceof Request.ApplyEntries apply) {
            return applied(in, apply.entries().size());
        }
        if (type == FrameTypes.PAGE && request instanceof Request.ScanPage scan) {
            return PageBody.read(in, scan);
        }
        if (type == FrameTypes.PAGE && request instanceof Request.RefillPage refill) {
            return PageBody.read(in, refill.page());
        }
        if (type == FrameTypes.PAGE && request instanceof Request.SnapshotPage snapshot) {
            return PageBody.read(in, snapshot.page());
        }
        if (type == FrameTypes.SNAPSHOT_LACKS && request instanceof Request.SnapshotPage snapshot) {
            return SnapshotBody.lacks(in, snapshot.page().partitions());
        }
        if (type == FrameTypes.SNAPSHOT_OPENED && request instanceof Request.OpenSnapshot) {
            return new Reply.SnapshotOpened(in.version());
        }
        if (type == FrameTypes.SNAPSHOT_DONE
                && (request instanceof Request.FixSnapshot
                        || request instanceof Request.RenewSnapshot
                        || request instanceof Request.EndSnapshot)) {
            return new Reply.SnapshotDone();
        }
        if (type == FrameTypes.PONG && request instanceof Request.Ping) {
            return new Reply.Pong();
        }
        if (type == FrameTypes.FEATURES_KNOWN && request instanceof Request.Features) {
            return new Reply.Features(in.i64("the known features"));
        }
        if (request instanceof RegisterRequest register) {
            return RegisterBody.readReply(in, type, register);
        }
        if (request instanceof RepairRequest repair && type == RepairBody.replyType(repair)) {
            return RepairBody.readReply(in, repair);
        }
        if (request instanceof MembershipRequest membership && type == MembershipBody.replyType(membership)) {
            return MembershipBody.readReply(in, membership);
        }
        throw in.malformed("reply type " + type + " to " + request.getClass().getSimpleName());
    }

    private static Reply.Applied applied(FrameReader in, int entries) throws FrameException {
        int count = in.u16("a number of newer versions");
        if (count == 0) {
            return Reply.Applied.AS_NEWEST;
        }
        if (count > entries) {
            throw in.malformed(count + " newer versions for " + entries + " entries");
        }
        List<Reply.Newer> newer = new ArrayList<>(count);
        int next = 0;
        for (int i = 0; i < count; i++) {
            int index = in.u16("the place of an entry");
            if (index < next || index >= entries) {
                throw in.malformed("place " + index + " of " + entries + " entries, at least " + next + " expected");
            }
            next = index + 1;
            newer.add(new Reply.Newer(index, in.version()));
        }
        return new Reply.Applied(newer);
    }

    private static Reply.Found found(FrameReader in, List<Query> queries) throws FrameException {
        int count = in.items(1, "answers");
        if (count != queries.size()) {
            throw in.malformed(count + " answers to " + queries.size() + " keys");
        }
        List<Answer> answers = new ArrayList<>(count);
        for (Query query : queries) {
            answers.add(answer(in, query.key()));
        }
        return new Reply.Found(answers);
    }

    static Answer answer(FrameReader in, Key key) throws FrameException {
        int kind = in.u8("an answer's kind");
        return switch (kind) {
            case ABSENT -> new Answer.Absent();
            case WHOLE -> new Answer.Whole(in.entry(key));
            case VERSION_ONLY -> new Answer.VersionOnly(in.version(), in.size("a value's size"), in.i32("a digest"));
            default -> throw in.malformed("unknown kind of answer " + kind);
        };
    }

    /** Reads the refusal of any request. */
    static Reply refusal(FrameReader in, int type) throws FrameException {
        return type == FrameTypes.FAILED ? failed(in) : otherSettings(in);
    }

    private static Reply.OtherSettings otherSettings(FrameReader in) throws FrameException {
        int count = in.count(2 + 2, "settings");
        if (count > ClusterSettings.MAX_SETTINGS) {
            throw in.malformed("at most " + ClusterSettings.MAX_SETTINGS + " settings, not " + count);
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            values.put(setting(in), setting(in));
        }
        return new Reply.OtherSettings(new ClusterSettings(values));
    }

    private static String setting(FrameReader in) throws FrameException {
        String text = in.text();
        if (text.length() > ClusterSettings.MAX_TEXT_BYTES) {
            throw in.malformed(
                    "a setting has at most " + ClusterSettings.MAX_TEXT_BYTES + " characters, not " + text.length());
        }
        return text;
    }

    private static Reply.Failed failed(FrameReader in) throws FrameException {
        int number = in.u16("an error code");
        String message = PrintableText.of(in.text());
        // A newer peer may send error codes that this node does not know.
        return new Reply.Failed(ErrorCode.byNumber(number).orElse(ErrorCode.INTERNAL), message);
    }
}
