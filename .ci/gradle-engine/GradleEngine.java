import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.gradle.api.Project;
import org.gradle.testfixtures.ProjectBuilder;

/**
 * Evaluates a build script of Gradle without its distribution, and prints the class path of a configuration. The
 * resolution is Gradle's own. The script is one of the guide's in the Kotlin DSL, whose few constructs that Groovy
 * writes otherwise are translated.
 */
final class GradleEngine {

    private static final Pattern PLUGINS = Pattern.compile("(?s)\\Aplugins \\{\n(.*?)\n}\n");
    private static final Pattern PLUGIN = Pattern.compile("id\\(\"([^\"]+)\"\\)|(\\w+)$");

    /** Takes the script, a home directory for Gradle and the name of the configuration. */
    public static void main(String[] args) throws Exception {
        Path script = Path.of(args[0]).toAbsolutePath();
        String kotlin = Files.readString(script);
        Matcher plugins = PLUGINS.matcher(kotlin);
        if (!plugins.find()) {
            throw new IllegalArgumentException(script + " does not begin with its plugins");
        }
        Project project = ProjectBuilder.builder()
                .withProjectDir(script.getParent().toFile())
                .withGradleUserHomeDir(Path.of(args[1]).toFile())
                .build();
        for (String line : plugins.group(1).lines().toList()) {
            Matcher plugin = PLUGIN.matcher(line.strip());
            if (!plugin.find()) {
                throw new IllegalArgumentException("no plugin: " + line);
            }
            project.getPluginManager().apply(plugin.group(1) == null ? plugin.group(2) : plugin.group(1));
        }
        Path groovy = script.resolveSibling("translated.gradle");
        Files.writeString(groovy, kotlin.substring(plugins.end()).replaceAll("withType<(\\w+)>\\(\\)", "withType($1)"));
        project.apply(Map.of("from", groovy.toString()));
        System.out.println(project.getConfigurations().getByName(args[2]).getAsPath());
        // Gradle's threads would keep the process for minutes.
        System.exit(0);
    }

    private GradleEngine() {}
}
