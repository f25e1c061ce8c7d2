package io.dht4j.spring.boot;

import io.dht4j.PrintableText;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses properties {@code dht4j.*} that do not exist: Spring would ignore a name that is misspelt, and the default
 * would be in force. The names are those of the records that the properties are bound to. Environment variables are a
 * warning, since platforms and images set some of their own.
 */
final class UnknownProperties {

    private static final Logger LOG = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(DhtProperties.PREFIX);

    /** The placeholder for the keys of a map. */
    private static final String ANY = "*";

    private static final String SWITCH = "dht4j.unknown-properties";

    /** The properties without a record component. */
    private static final List<String> WITHOUT_RECORD =
            List.of("dht4j.enabled", "dht4j.metrics.enabled", "dht4j.tracing.enabled", SWITCH);

    /** Variables that Kubernetes sets for a service. */
    private static final Pattern OF_KUBERNETES =
            Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

    private static final int MOST_SIMILAR = 3;

    /** The effect of an unknown property on the start. */
    private enum Reaction {
        FAIL,
        WARN
    }

    /** A name, in which a key of a map is {@link #ANY}. */
    private record Known(List<String> elements, boolean isList) {

        /** Returns whether a name is this one, an element of its list, or a group that it belongs to. */
        boolean includes(ConfigurationPropertyName name) {
            return name.getNumberOfElements() < elements.size()
                    ? begins(elements.subList(0, name.getNumberOfElements()), name)
                    : is(elements, name);
        }

        /** Returns whether a variable is this one, or an element of its list, in one of the forms that Spring takes. */
        boolean includesVariable(ConfigurationPropertyName name) {
            return is(elements, name) || is(dashesAsUnderscores(elements), name);
        }

        /** Returns whether this is in the group of a name. */
        boolean isBeside(ConfigurationPropertyName name) {
            return elements.size() == name.getNumberOfElements() && includes(name.getParent());
        }

        private boolean is(List<String> form, ConfigurationPropertyName name) {
            int more = name.getNumberOfElements() - form.size();
            return begins(form, name) && (more == 0 || (isList && more == 1 && name.isNumericIndex(form.size())));
        }

        /** Returns the name, with the keys of maps that another one has. */
        String like(ConfigurationPropertyName other) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < elements.size(); i++) {
                String element = elements.get(i);
                boolean isKey = element.equals(ANY) && i < other.getNumberOfElements();
                text.append(i == 0 ? "" : ".").append(isKey ? other.getElement(i, Form.ORIGINAL) : element);
            }
            return text.toString();
        }
    }

    private final List<Known> known;

    private UnknownProperties(List<Known> known) {
        this.known = known;
    }

    /**
     * Checks the properties of an application. Creates no bean.
     *
     * @throws StartException if there are some that neither this library nor a class of the application has
     */
    static void refuse(Environment environment, ConfigurableListableBeanFactory beans) {
        refuse(environment, beans, LOG::warn);
    }

    static void refuse(Environment environment, ConfigurableListableBeanFactory beans, Consumer<String> warnings) {
        UnknownProperties names = new UnknownProperties(known());
        boolean onlyWarns = Binder.get(environment).bind(SWITCH, Reaction.class).orElse(Reaction.FAIL) == Reaction.WARN;
        Set<String> refusals = new LinkedHashSet<>();
        Set<String> ignored = new LinkedHashSet<>();
        @Nullable List<ConfigurationPropertyName> ofApplication = null;
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (!(source instanceof IterableConfigurationPropertySource iterable)) {
                continue;
            }
            boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
            for (ConfigurationPropertyName name : iterable) {
                if (!PREFIX.isAncestorOf(name) || names.exists(name, source, variables)) {
                    continue;
                }
                if (ofApplication == null) {
                    ofApplication = names.ofApplication(beans);
                }
                if (ofApplication.stream().noneMatch(prefix -> isBelow(prefix, name, variables))) {
                    (variables || onlyWarns ? ignored : refusals)
                            .add(names.refusal(name, source.getConfigurationProperty(name), variables));
                }
            }
        }
        if (!ignored.isEmpty()) {
            warnings.accept("properties are ignored: " + String.join("; ", ignored));
        }
        if (!refusals.isEmpty()) {
            throw new StartException(
                    String.join("; ", refusals),
                    "Correct or remove what the message names. Properties of the application need another prefix than "
                            + "dht4j, or a class with @ConfigurationProperties and a prefix of its own. With "
                            + SWITCH + "=warn the start goes on.",
                    null);
        }
    }

    /** Returns the names that exist, with {@code *} for the keys of maps. */
    static List<String> names() {
        return known().stream().map(name -> String.join(".", name.elements())).toList();
    }

    private static List<Known> known() {
        List<Known> known = new ArrayList<>();
        WITHOUT_RECORD.forEach(name -> known.add(new Known(List.of(name.split("\\.")), false)));
        add(known, List.of(DhtProperties.PREFIX), DhtProperties.class);
        add(known, List.of(DhtProperties.PREFIX, "cache"), DhtCacheProperties.class);
        return known;
    }

    private static void add(List<Known> known, List<String> group, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            List<String> name = new ArrayList<>(group);
            name.add(DataObjectPropertyName.toDashedForm(component.getName()));
            if (component.getType().isRecord()) {
                add(known, name, component.getType());
            } else if (component.getType() == Map.class) {
                name.add(ANY);
                add(known, name, DhtCacheProperties.Settings.class);
            } else {
                known.add(new Known(List.copyOf(name), component.getType() == List.class));
            }
        }
    }

    private boolean exists(ConfigurationPropertyName name, ConfigurationPropertySource source, boolean variables) {
        if (!variables) {
            return known.stream().anyMatch(each -> each.includes(name));
        }
        return known.stream().anyMatch(each -> each.includesVariable(name)) || isOfKubernetes(name, source);
    }

    private static boolean isOfKubernetes(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        String variable = variable(name);
        ConfigurationProperty property = source.getConfigurationProperty(name);
        boolean isUrl = property != null && String.valueOf(property.getValue()).contains("://");
        return OF_KUBERNETES.matcher(variable).matches() || (variable.endsWith("_PORT") && isUrl);
    }

    private List<ConfigurationPropertyName> ofApplication(ConfigurableListableBeanFactory beans) {
        List<ConfigurationPropertyName> prefixes = new ArrayList<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            ConfigurationProperties properties = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            ConfigurationPropertyName prefix =
                    properties == null ? null : ConfigurationPropertyName.ofIfValid(properties.prefix());
            // The prefixes of this library's own classes are groups of the names that exist.
            if (prefix != null && known.stream().noneMatch(each -> each.includes(prefix))) {
                prefixes.add(prefix);
            }
        }
        return prefixes;
    }

    private static boolean isBelow(
            ConfigurationPropertyName prefix, ConfigurationPropertyName name, boolean variables) {
        List<String> form = elements(prefix, Form.DASHED);
        return begins(form, name) || (variables && begins(dashesAsUnderscores(form), name));
    }

    private String refusal(
            ConfigurationPropertyName name, @Nullable ConfigurationProperty property, boolean variables) {
        Origin origin = property == null ? null : property.getOrigin();
        String shown = variables ? variable(name) : name.toString();
        List<String> similar = similar(name);
        return shown
                + (variables ? " sets no property" : " does not exist")
                + (origin == null || variables ? "" : " (" + PrintableText.of(origin) + ")")
                + (similar.isEmpty() ? groupOf(name) : ": did you mean " + String.join(" or ", similar) + "?");
    }

    /** Returns what the group of a name has instead; empty if that group does not exist. */
    private String groupOf(ConfigurationPropertyName name) {
        ConfigurationPropertyName group = name.getParent();
        int depth = group.getNumberOfElements();
        List<String> names = known.stream()
                .filter(each -> each.isBeside(name))
                .map(each -> each.elements().get(depth))
                .toList();
        return names.isEmpty() || depth == 1 ? "" : ": " + group + " has " + String.join(", ", names);
    }

    /** Returns the names that a name is the beginning of, or else those that differ in few letters. */
    private List<String> similar(ConfigurationPropertyName name) {
        record Near(String name, int distance) {}
        String wanted = letters(name);
        List<String> longer = known.stream()
                .filter(each -> each.isBeside(name))
                .map(each -> each.like(name))
                .filter(each -> letters(each).startsWith(wanted))
                .limit(MOST_SIMILAR)
                .toList();
        if (!longer.isEmpty()) {
            return longer;
        }
        int most = Math.max(2, (wanted.length() - DhtProperties.PREFIX.length()) / 3);
        return known.stream()
                .map(each -> each.like(name))
                .map(each -> new Near(each, distance(wanted, letters(each))))
                .filter(each -> each.distance() <= most)
                .sorted(Comparator.comparingInt(Near::distance))
                .limit(MOST_SIMILAR)
                .map(Near::name)
                .toList();
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String a, String b) {
        int[] row = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }

    /** Returns whether a name has these elements, and perhaps more. */
    private static boolean begins(List<String> form, ConfigurationPropertyName name) {
        return form.size() <= name.getNumberOfElements()
                && IntStream.range(0, form.size())
                        .allMatch(i -> form.get(i).equals(ANY)
                                || uniform(form.get(i)).equals(name.getElement(i, Form.UNIFORM)));
    }

    private static List<String> dashesAsUnderscores(List<String> elements) {
        return elements.stream()
                .flatMap(element -> Stream.of(element.split("-")))
                .toList();
    }

    private static List<String> elements(ConfigurationPropertyName name, Form form) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, form))
                .toList();
    }

    private static String variable(ConfigurationPropertyName name) {
        return String.join("_", elements(name, Form.UNIFORM)).toUpperCase(Locale.ROOT);
    }

    private static String letters(ConfigurationPropertyName name) {
        return String.join("", elements(name, Form.UNIFORM));
    }

    private static String letters(String name) {
        return uniform(name.replace(".", ""));
    }

    private static String uniform(String element) {
        return element.replace("-", "").toLowerCase(Locale.ROOT);
    }
}
