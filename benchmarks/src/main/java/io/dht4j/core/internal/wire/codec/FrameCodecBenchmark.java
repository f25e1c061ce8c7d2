package io.dht4j.core.internal.wire.codec;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Encodes and decodes the frames of puts and gets, of one key and of a batch. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FrameCodecBenchmark {

    /** Size of a value in bytes. */
    @Param({"100", "4096"})
    public int valueBytes;

    /** Number of requests in the frame. */
    @Param({"1", "32"})
    public int requests;

    private final FrameHeader header =
            new FrameHeader(new NodeId("n1"), Optional.of(new NodeId("n2")), 1, 2, new Version(3), 4);
    private final NodeIds names = new NodeIds(List.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3")));
    private Request puts = new Request.Ping();
    private Request gets = new Request.Ping();
    private Reply found = new Reply.Pong();
    private byte[] putsFrame = {};
    private byte[] foundFrame = {};

    /** Creates the benchmark; for JMH. */
    public FrameCodecBenchmark() {}

    /** Makes the messages. */
    @Setup
    public void prepare() {
        SplittableRandom random = new SplittableRandom(1);
        List<Request.Part> applies = new ArrayList<>();
        List<Request.Part> reads = new ArrayList<>();
        List<Reply> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            Key key = Key.of("user:" + random.nextInt(1_000_000_000));
            byte[] value = new byte[valueBytes];
            random.nextBytes(value);
            Entry entry = Entry.value(key, new Version(random.nextLong() >>> 1), value, Entry.NEVER);
            applies.add(new Request.Part(new Request.ApplyEntries(List.of(entry)), 1_000_000_000L));
            reads.add(new Request.Part(
                    new Request.ReadKeys(List.of(new Request.Query(key, true)), 4096), 1_000_000_000L));
            answers.add(new Reply.Found(List.of(new Answer.Whole(entry))));
        }
        puts = requests == 1 ? applies.get(0).request() : new Request.Batch(applies, 1 << 20, 1 << 20);
        gets = requests == 1 ? reads.get(0).request() : new Request.Batch(reads, 1 << 20, 1 << 20);
        found = requests == 1 ? answers.get(0) : new Reply.Batch(answers);
        putsFrame = FrameCodec.encode(header, puts).toBytes();
        foundFrame = FrameCodec.encode(header, found);
    }

    /**
     * Encodes a put, the coordinator's side.
     *
     * @return the frame
     */
    @Benchmark
    public Frame encodePuts() {
        return FrameCodec.encode(header, puts);
    }

    /**
     * Decodes a put, the replica's side.
     *
     * @return the request
     * @throws FrameException never
     */
    @Benchmark
    public Object decodePuts() throws FrameException {
        return FrameCodec.decodeRequest(putsFrame, names);
    }

    /**
     * Encodes the reply to a get, the replica's side.
     *
     * @return the frame
     */
    @Benchmark
    public byte[] encodeFound() {
        return FrameCodec.encode(header, found);
    }

    /**
     * Decodes the reply to a get, the coordinator's side.
     *
     * @return the reply
     * @throws FrameException never
     */
    @Benchmark
    public Object decodeFound() throws FrameException {
        return FrameCodec.decodeReply(foundFrame, gets, names);
    }
}
