package io.dht4j.core.internal.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What peers write into frames reaches errors and logs as one printable line. */
class FrameTextTest {

    private static final String HOSTILE = "no\u001b[2J\nWARN all is well\u202e";
    private static final String SHOWN = "no\\u001b[2J\\nWARN all is well\\u202e";

    @Test
    void theErrorOfAPeerIsOneLine() throws FrameException {
        FrameHeader header = new FrameHeader(new NodeId("n1"), Optional.empty(), 0, 0, Version.of(1, 0), 0);
        byte[] frame = FrameCodec.encode(header, new Reply.Failed(ErrorCode.OVERLOADED, HOSTILE));

        NodeIds known = new NodeIds(List.of(new NodeId("n1")));
        assertThat(FrameCodec.decodeReply(frame, new Request.Ping(), known).message())
                .isEqualTo(new Reply.Failed(ErrorCode.OVERLOADED, SHOWN));
    }

    @Test
    void theSettingsOfAPeerAreOneLine() {
        ClusterSettings own = new ClusterSettings(Map.of("hash", "xxh3"));
        ClusterSettings others = new ClusterSettings(Map.of("hash", HOSTILE));

        assertThat(own.differences(others, "n1", "n2")).isEqualTo("hash: xxh3 at n1, " + SHOWN + " at n2");
    }

    @Test
    void listsStandInParenthesesAndAnotherOrderIsNamed() {
        ClusterSettings own = new ClusterSettings(Map.of("nodes", "n1, n2, n3"));

        assertThat(own.differences(new ClusterSettings(Map.of("nodes", "n2, n1, n3")), "n3", "n2"))
                .isEqualTo("nodes in another order: (n1, n2, n3) at n3, (n2, n1, n3) at n2");
        assertThat(own.differences(new ClusterSettings(Map.of("nodes", "n1, n2, n2")), "n3", "n2"))
                .isEqualTo("nodes: (n1, n2, n3) at n3, (n1, n2, n2) at n2");
        assertThat(own.differences(new ClusterSettings(Map.of("nodes", "n1")), "n3", "n1"))
                .isEqualTo("nodes: (n1, n2, n3) at n3, n1 at n1");
    }
}
